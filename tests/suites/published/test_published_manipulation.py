"""EB-Manipulation's published episodes as a suite: files in the form of its data set."""

from __future__ import annotations

from pathlib import Path

import pytest

from homie import BadInput
from suites.published.embodiedbench import eb_manipulation, eb_manipulation_as_released
from tests.envs.coppelia.released_episodes import write_episodes


def test_a_suite_has_every_episode_of_the_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_episodes(tmp_path, monkeypatch)
    suite = eb_manipulation(data)
    assert [(task.id, task.text) for task in suite.tasks] == [
        ("base-01", "Do the pick_cube_shape."),
        ("base-02", "Do the stack_cubes_color."),
        ("base-03", "Do the wipe_table_direction."),
        ("visual-appearance-01", "Do the pick_cube_shape."),
    ]
    assert (suite.robot, suite.skills, suite.protocol.steps, suite.protocol.end) == ("coppelia", "arm", 15, "goal")
    assert eb_manipulation_as_released(data).protocol.faults == "eb-manipulation@2025-02"
    with pytest.raises(BadInput, match=r"give the folder 'data' of EB-Manipulation's data set\.$"):
        eb_manipulation(data / "base")
