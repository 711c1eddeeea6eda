"""Agent that uses a model: the prompt of native control, one message per turn with the current frame."""

from __future__ import annotations

import hashlib

from homie.kernel.interfaces.prompts import PlainQuestion, Respondent, VerbatimAnswer
from suites.vigil.actions import FARTHEST, HEIGHT, STEP, THOUSAND, WIDEST, WIDTH
from suites.vigil.agents import HISTORY, Agent, Turn
from suites.vigil.frozen import FrozenEpisode

PROMPT = """\
You steer a robot with one arm in a simulated home. You see one picture a turn: what the camera on its head sees now. \
Nobody tells you whether an action worked or whether the task is done: judge by what you see.

## Task
{instruction}

## Actions
Answer with one action a turn.
- navigate: "mode" is forward, backward, turn_left or turn_right; "magnitude" is a number of steps of {step} m (at \
most {farthest:g}), or for turns of degrees (at most {widest:g}). The robot stops before what is in its way.
- look: "direction" is up or down; "magnitude" in degrees.
- interact_pixel: "intent" is what to do to the thing at pixel "x", "y" of the current picture: ground (point at it, \
nothing moves), pick (take it), place (put what is in the hand on or into it), activate or deactivate (switch it on or \
off), open_access or close_access (its door or drawer), or drop (let what is in the hand fall to the floor; without x \
and y). Things farther away than 1.5 m cannot be used. The hand has to be empty for all but ground, place and drop. \
What the robot holds is seen when it looks down.
- report: ends the task. "status" is success or fail; for a question about a state it is the state itself: open, \
closed, on or off. "summary" says why in a few words.

{coordinates}
The task ends by your report alone, and you have {budget} turns. That a thing is in view or near, or that you have \
tried something, does not mean that the task is done: report success only if the picture shows it.

## Answer
One JSON object and nothing else, without code fences:
{{"skill_name": "...", "arguments": {{...}}}}
You may add "thought", one short sentence: it is all that you will remember.

{history}{feedback}This is turn {number} of {budget}."""

PIXELS = f"x goes from 0 (left) to {WIDTH - 1}, y from 0 (top) to {HEIGHT - 1}."
THOUSANDTHS = f"x goes from 0 (left) to {THOUSAND} (right), y from 0 (top) to {THOUSAND} (bottom)."


class ModelAgent(Agent):
    """Queries a stateless respondent each turn."""

    def __init__(self, respondent: Respondent, episode: FrozenEpisode, *, thousandths: bool) -> None:
        self._respondent, self._episode, self._thousandths = respondent, episode, thousandths

    def answer(self, turn: Turn) -> VerbatimAnswer:
        text = prompt(turn, self._episode.family.budget, thousandths=self._thousandths)
        return self._respondent.answer(PlainQuestion(f"{self._episode.id}/{turn.number}", text, (turn.look(),)))


def prompt(turn: Turn, budget: int, *, thousandths: bool) -> str:
    """The prompt text for a model in one turn, sent with the picture.

    Args:
        turn: input of the agent.
        budget: number of turns of the episode.
        thousandths: whether coordinates go from 0 to 1000 instead of pixels.
    """
    first = turn.number - len(turn.history)
    turns = [f"Turn {number}: {text}" for number, text in enumerate(turn.history, first)]
    feedback = ""
    if turn.too_far is not None and turn.number > 1:
        words = {True: "true", False: "false", None: "false"}
        feedback = (
            f"## Of your last action\ntoo_far: {words[turn.too_far]}, path_blocked: {words[turn.path_blocked]}\n\n"
        )
    return PROMPT.format(
        instruction=turn.instruction,
        step=STEP,
        farthest=FARTHEST,
        widest=WIDEST,
        coordinates=THOUSANDTHS if thousandths else PIXELS,
        budget=budget,
        history="## Your last answers\n" + "\n".join(turns) + "\n\n" if turns else "",
        feedback=feedback,
        number=turn.number,
    )


def prompt_digest() -> str:
    """SHA-256 of the prompt's text, for the record."""
    return hashlib.sha256("\n".join((PROMPT, PIXELS, THOUSANDTHS, str(HISTORY))).encode()).hexdigest()
