"""Labels for a planner's own mistakes: whatever was done before, the expert's next steps still do the task."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "plugin"))
from text_world import stage

from homie.data.episode import SkippedEpisode
from homie.data.examples.expert_labels import label_steps
from homie.data.examples.pairs import Choice, pairs
from homie.data.options import TrainingOptions
from homie.data.training_examples import make_dataset
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Planner
from homie.kernel.knowledge import Knowledge, RememberedThing
from homie.kernel.types import END, Decision, ErrorCode, Feedback, HistoryItem, PlannerInput, Subtask
from homie.kernel.types.script_progress import next_step
from tests.data.episodes import DONE, episode, write_run

FRIDGE = [
    Subtask("Go to", "fridge"),
    Subtask("Open", "fridge"),
    Subtask("Go to", "green can"),
    Subtask("Pick", "green can"),
    Subtask("Go to", "fridge"),
    Subtask("Put", "green can", "fridge"),
    Subtask("Close", "fridge"),
    END,
]
SWAP = [
    Subtask("Go to", "mug"),
    Subtask("Pick", "mug"),
    Subtask("Go to", "sofa"),
    Subtask("Put", "mug", "sofa"),
    Subtask("Go to", "sugar box"),
    Subtask("Pick", "sugar box"),
    Subtask("Go to", "bed"),
    Subtask("Put", "sugar box", "bed"),
    END,
]
INSIDE = [
    Subtask("Go to", "cabinet"),
    Subtask("Open", "cabinet"),
    Subtask("Pick", "cracker box"),
    Subtask("Go to", "blue table"),
    Subtask("Put", "cracker box", "blue table"),
    Subtask("Go to", "cabinet"),
    Subtask("Close", "cabinet"),
    Subtask("Go to", "kitchen"),
    END,
]
ENDS = {
    "fridge": (FRIDGE, {"potted_meat_can_1": "fridge_1"}, {"fridge_1": True}, ""),
    "swap": (SWAP, {"mug_1": "sofa_1", "sugar_box_1": "bed_1"}, {}, ""),
    "inside": (INSIDE, {"cracker_box_1": "table_2"}, {"cabinet_1": True}, "kitchen"),
}
PLACES = {
    "green can": "blue table",
    "mug": "bed",
    "sugar box": "sofa",
    "cracker box": "cabinet",
    "lemon": "brown table",
}
FURNITURE = ("fridge", "cabinet", "drawer", "blue table", "brown table", "sofa", "bed", "sink", "piano")
NAMES = (*PLACES, *FURNITURE)


class Disturbed(Planner):
    """The expert, but in the first rounds anything else as often as the seed wants it."""

    name = "disturbed"

    def __init__(self, script: list[Subtask], share: float, rounds: int, seed: int) -> None:
        self.script, self.share, self.rounds = script, share, rounds
        self.rng = random.Random(seed)

    def reset(self, task: str, *, seed: int) -> None:
        """It plays one episode."""

    def decide(self, planner_input: PlannerInput) -> Decision:
        if planner_input.round <= self.rounds and self.rng.random() < self.share:
            action = self.rng.choice(("Go to", "Pick", "Put", "Open", "Close", "Jump"))
            held = planner_input.inventory[0] if planner_input.inventory and self.rng.random() < 0.7 else ""
            target = held if action == "Put" and held else self.rng.choice(NAMES)
            if action == "Go to" and target in planner_input.inventory:
                target = "sink"  # the world of the test has no place for a robot that goes to its own hand
            destination = self.rng.choice(FURNITURE) if action == "Put" else ""
            return Decision((Subtask(action, target, destination),))
        step = next_step(self.script, planner_input.history, PLACES)
        assert step is not None
        return Decision((step,))


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("seed", range(40))
def test_the_task_is_done_whatever_was_done_before(name: str, seed: int) -> None:
    script, places, closed, room = ENDS[name]
    scene = stage()
    result = scene.play("a task", Disturbed(script, 0.5, 12, seed), rounds=60)
    assert result.ended_by == "ended"
    assert {thing: scene.world.things[thing].place for thing in places} == places
    assert {piece: scene.world.furniture[piece].closed for piece in closed} == closed
    assert scene.world.held() is None
    assert not room or scene.world.room_of(scene.world.at) == room


def test_undisturbed_it_is_the_script() -> None:
    for script, *_ in ENDS.values():
        history: list[HistoryItem] = []
        while (step := next_step(script, history, PLACES)) not in (END, None):
            history.append(HistoryItem(len(history) + 1, step, Feedback("success")))
        assert [item.subtask for item in history] == script[:-1] and step == END


def did(*steps: tuple[Subtask, Feedback]) -> list[HistoryItem]:
    return [HistoryItem(number, *step) for number, step in enumerate(steps, 1)]


OK = Feedback("success")
FAR = Feedback("fail", ErrorCode.D1, "too far")
STUCK = Feedback("fail", ErrorCode.E1, "too difficult")


@pytest.mark.parametrize(
    ("history", "says"),
    [
        (did((FRIDGE[0], OK), (FRIDGE[1], FAR)), FRIDGE[0]),  # too far after all: go there again
        (did((FRIDGE[2], OK), (FRIDGE[3], OK)), Subtask("Go to", "blue table")),  # a full hand cannot open: put it back
        (did((FRIDGE[2], OK), (FRIDGE[3], OK), (FRIDGE[0], OK), (FRIDGE[1], STUCK)), Subtask("Go to", "blue table")),
        (did((Subtask("Go to", "lemon"), OK), (Subtask("Pick", "lemon"), OK)), Subtask("Go to", "brown table")),
        (did(*((step, OK) for step in FRIDGE[:6])), FRIDGE[6]),
        (did(*((step, OK) for step in FRIDGE[:7])), END),
        (did(*((step, OK) for step in FRIDGE[:2]), (Subtask("Close", "fridge"), OK)), FRIDGE[1]),
        (did((FRIDGE[0], OK), *[(FRIDGE[1], STUCK)] * 3), None),  # it cannot be done: no label
    ],
)
def test_what_comes_next(history: list[HistoryItem], says: Subtask | None) -> None:
    assert next_step(FRIDGE, history, PLACES) == says


KITCHEN, BEDROOM = Subtask("Go to", "kitchen"), Subtask("Go to", "bedroom")


@pytest.mark.parametrize(
    ("visited", "says"),
    [
        ((), KITCHEN),
        ((KITCHEN,), BEDROOM),
        ((KITCHEN, BEDROOM), END),
        ((BEDROOM,), KITCHEN),
        ((BEDROOM, KITCHEN), BEDROOM),
        ((KITCHEN, Subtask("Go to", "sofa")), BEDROOM),
        ((KITCHEN, BEDROOM, Subtask("Go to", "sofa")), BEDROOM),  # it has to be there at the end
    ],
)
def test_rooms_are_visited_in_their_order_and_once(visited: tuple[Subtask, ...], says: Subtask) -> None:
    assert next_step([KITCHEN, BEDROOM, END], did(*((step, OK) for step in visited)), PLACES) == says


def test_what_is_done_without_a_look_needs_none_any_more() -> None:
    script = [Subtask("Go to", "bed"), *SWAP]
    assert next_step(script, did((SWAP[0], OK)), PLACES) == script[0]
    assert next_step(script, did(*((step, OK) for step in SWAP[:2])), PLACES) == SWAP[2]


def test_an_episode_gets_the_expert_s_answers_in_its_own_situations() -> None:
    with pytest.raises(SkippedEpisode, match="no expert to label by"):
        label_steps(episode(DONE))
    script = (Subtask("Go to", "apple"), Subtask("Pick", "apple"), END)
    acts = [(Subtask("Go to", "apple"), OK), (Subtask("Go to", "apple"), OK), (Subtask("Pick", "apple"), OK), (END, OK)]
    sample = replace(episode(acts), expert=script)
    steps = label_steps(sample).steps
    assert [step.subtask for step in steps] == [script[0], script[1], script[1], END]
    assert [step.history for step in steps] == [step.history for step in sample.steps]
    assert [step.model for step in steps] == ["nomad", "nomad", "rt1x", ""]
    (pair,) = pairs(label_steps(sample))
    assert (pair.kind, pair.step) == ("expert", 1)
    assert (pair.chosen.subtask, pair.rejected.subtask) == (script[1], script[0])
    early = label_steps(replace(episode([acts[0], (END, OK)]), expert=script))
    assert [(pair.chosen.subtask, pair.rejected) for pair in pairs(early)] == [(script[1], Choice(END, ""))]
    late = label_steps(replace(episode([*acts[1:3], acts[2]]), expert=script))
    assert [(pair.chosen, pair.rejected.subtask) for pair in pairs(late)] == [(Choice(END, ""), script[1])]
    wrong = [step.number for step in label_steps(sample, corrections=True).steps if step.feedback.ok]
    assert wrong == [2], "the second way was useless; all else is what the expert does"


def test_what_lay_on_the_floor_is_not_put_back_there() -> None:
    remembered = (
        RememberedThing("lemon", "kitchen", "on the floor"),
        RememberedThing("mug", "kitchen", "in the drawer 2"),
    )
    acts = [(Subtask("Go to", "sink"), OK), (Subtask("Pick", "lemon"), OK), (Subtask("Pick", "mug"), STUCK)]
    sample = replace(episode(acts), expert=(Subtask("Pick", "apple"), END))
    knowing = {"knowledge": Knowledge(remembered=remembered)}
    steps = tuple(replace(step, input=step.input.model_copy(update=knowing)) for step in sample.steps)
    labels = [step.subtask for step in label_steps(replace(sample, steps=steps)).steps]
    assert labels[2] == Subtask("Put", "lemon", "sink")  # where the robot is


def test_pairs_by_expert_alone_and_runs_without_one_are_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", ["a-0"], DONE)
    options = TrainingOptions.build(sources=[run], out=tmp_path / "out", label_by="expert")
    with pytest.raises(BadInput, match="use --label-by corrections"):
        make_dataset(options, "dpo")
    with pytest.raises(BadInput, match="no expert to label by"):
        make_dataset(options, "sft")
