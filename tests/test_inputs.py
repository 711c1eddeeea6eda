"""The input of a planner is kept: the question of a round can be asked again word for word."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homie.kernel.actions import Ability
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.knowledge import Doorway, Knowledge, RememberedThing
from homie.kernel.types import Detection, ErrorCode, Feedback, HistoryItem, PlannerAsked, PlannerInput, Subtask
from homie.runtime import session
from homie.runtime.planner_inputs import INPUTS, RoundInput, read_inputs
from homie.runtime.runstore.damage import DamagedEpisode, read_finished
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings


class Overheard(EpisodeListener):
    """Keeps what the planner sees."""

    def __init__(self) -> None:
        self.rounds: list[PlannerInput] = []

    def on(self, event) -> None:
        if isinstance(event, PlannerAsked):
            self.rounds.append(event.planner_input)


def without_masks(planner_input: PlannerInput) -> PlannerInput:
    return replace(
        planner_input, detections=tuple(replace(detection, mask=None) for detection in planner_input.detections)
    )


def test_a_run_keeps_what_the_planner_was_given(tiny_options):
    overheard = Overheard()
    folder = session.run(tiny_options(), [overheard]).episode_folder
    loaded = read_inputs(folder)
    assert len(loaded) == len(overheard.rounds) == 5
    for round_input, planner_input in zip(loaded, overheard.rounds, strict=True):
        assert round_input.planner_input(
            planner_input.history, planner_input.views, planner_input.hand
        ) == without_masks(planner_input)


def test_the_question_is_the_same_word_for_word():
    picture = np.zeros((64, 64, 3), np.uint8)
    planner_input = PlannerInput(
        task="put the apple in the fridge",
        round=3,
        views=dict.fromkeys(("front", "left"), picture),
        detections=(
            Detection("apple", "front", (1, 2, 9, 9), 0.5, "apple_1", number=2, mask=np.ones((64, 64), bool)),
            Detection("fridge", "left", (0, 0, 40, 60), part="door", instance="fridge"),
        ),
        inventory=("apple",),
        history=(HistoryItem(1, Subtask("Pick", "apple"), Feedback("fail", ErrorCode.D1, "too far")),),
        feedback=Feedback("fail", ErrorCode.D1, "too far"),
        actions=("Go to", "Pick", "Wipe", "End"),
        models=("nomad",),
        rounds=12,
        listing=("1: cube",),
        arguments={"Wipe": ("target", "destination")},
        abilities={"nomad": Ability(("Go to",), ("Go to",), "goes to places")},
        knowledge=Knowledge(
            setting="sensors",
            room="kitchen",
            rooms=("kitchen",),
            doorways=(Doorway("doorway 2", "kitchen", "hall", True),),
            remembered=(RememberedThing("fridge", "kitchen", "", 2, "closed"),),
        ),
    )
    read = RoundInput.model_validate_json(RoundInput.of(planner_input).line)
    again = read.planner_input(planner_input.history, planner_input.views)
    assert again == without_masks(planner_input)
    for boxes in (False, True):
        prompt = Prompt(PromptSettings(boxes=boxes))
        messages, anew = (prompt.request(inputs)[0].messages for inputs in (planner_input, again))
        assert [[part for part in message.parts if isinstance(part, str)] for message in messages] == [
            [part for part in message.parts if isinstance(part, str)] for message in anew
        ]


def test_a_torn_line_is_left_out_and_a_broken_one_named(tmp_path):
    path = tmp_path / INPUTS
    path.write_bytes(b'{"task": "go", "round": 1, "rounds": 2, "actions": [], "models": []}\n{"task": "go", "rou')
    assert [round_input.round for round_input in read_inputs(tmp_path)] == [1]
    path.write_bytes(b'{"task": "go"}\n')
    with pytest.raises(BadInput, match=r"^Cannot read .*inputs\.jsonl, line 1: .* is missing\.$"):
        read_inputs(tmp_path)
    path.unlink()
    with pytest.raises(BadInput, match="No such file"):
        read_inputs(tmp_path)


def test_a_changed_input_is_damage(tiny_options):
    folder = session.run(tiny_options()).episode_folder
    path = folder / INPUTS
    path.write_bytes(path.read_bytes().replace(b"ball", b"cube"))
    with pytest.raises(DamagedEpisode, match=r"inputs\.jsonl"):
        read_finished(folder)
