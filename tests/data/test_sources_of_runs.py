"""What is known of the episodes of a run folder: who planned, in which house, with which models, how it ended."""

from __future__ import annotations

import json

import pytest
from episodes import ABILITIES, DONE, REPLANNED, TEXT, write_run

from homie.data.episode import SkippedEpisode
from homie.data.recording.notes import NOTES, add_note, note
from homie.data.sources.runs import house_of
from homie.data.sources.source_kinds import open_sources
from homie.data.split import make_split
from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import mark
from homie.runtime.planner_inputs import INPUTS
from homie.runtime.runstore import read_episode, read_run, write_ending, write_model


def read(run):
    (source,) = open_sources([run])
    (entry,) = source.entries()
    return source.read(entry)


def test_what_is_said_of_a_run(tmp_path):
    run = write_run(tmp_path / "monday", ["a-0"])
    (source,) = open_sources([run])
    assert source.describe() == {"kind": "run", "planner": "rule", "seed": "0", "versions": ""}
    versions = {"homie": "0.2.0", "mujoco": "3.3.7"}
    write_model(run / "run.json", read_run(run).model_copy(update={"versions": versions}))
    (source,) = open_sources([run])
    assert source.describe()["versions"] == "homie 0.2.0, mujoco 3.3.7"
    (entry,) = source.entries()
    assert (entry.name, entry.task, entry.split) == ("monday/a-0", TEXT, "")
    sample = source.read(entry)
    assert (sample.name, sample.task, sample.text, sample.done) == ("monday/a-0", TEXT, TEXT, None)


def test_an_episode_whose_discard_may_be_lost_is_left_out(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"])
    notes = run / "episodes/a-0" / NOTES
    notes.write_bytes(b'{"kind": "disc\n{"kind": "remark", "text": "x"}\n')
    with pytest.raises(SkippedEpisode, match=rf"^damaged: {notes} is damaged in line 1 "):
        read(run)


def test_a_loop_of_links_is_named(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(BadInput, match=r"^Cannot read .*loop: Too many levels of symbolic links\.$"):
        open_sources([tmp_path / "loop"])


def test_a_house_is_its_rooms_and_furniture_and_not_what_lies_in_it(tmp_path):
    drawer = {"name": "drawer", "kind": "drawer", "colour": "white", "room": "kitchen", "x": 1.0, "y": 2.0, "yaw": 0.0}
    scene = {"rooms": ["kitchen"], "doorways": [], "furniture": [drawer], "objects": ["apple"]}

    def house(**changes):
        (tmp_path / "scene.json").write_text(json.dumps({**scene, **changes}))
        return house_of(tmp_path / "scene.json")

    here = house()
    assert len(here) == 12
    assert house(objects=[]) == house(furniture=[{**drawer, "open": 0.5}]) == here
    others = [house(rooms=["study"]), house(doorways=[1]), house(furniture=[])]
    others += [house(furniture=[{**drawer, name: "other"}]) for name in drawer]
    assert here not in others and len(set(others)) == len(others)
    (tmp_path / "scene.json").write_text('{"places": [1]}')
    first = house_of(tmp_path / "scene.json")
    (tmp_path / "scene.json").write_text('{"places": [2]}')
    assert house_of(tmp_path / "scene.json") != first, "of another sort of scene all of it counts"
    assert house_of(tmp_path / "nowhere.json") == ""


@pytest.mark.parametrize("text", ["{", '{"rooms": [], "furniture": 3}', '{"rooms": [], "furniture": ["bed"]}', None])
def test_without_its_scene_an_episode_is_on_no_side_of_a_split(tmp_path, text):
    """Else episodes of one house would be on both sides of a split by houses."""
    for name in ("monday", "tuesday"):
        run = write_run(tmp_path / name, ["a-0"])
        (run / "scene.json").write_text('{"rooms": [], "furniture": []}')
    marked = {"scene.json": mark(run / "scene.json")}
    write_model(run / "run.json", read_run(run).model_copy(update={"files": marked}))
    sources = open_sources([tmp_path / "monday", run])
    if text is None:
        (run / "scene.json").unlink()
    else:
        (run / "scene.json").write_text(text)
    with pytest.raises(BadInput, match=r"tuesday/scene\.json"):
        make_split(sources, "house", 0.5, 0)
    with pytest.raises(SkippedEpisode, match=r"^damaged: .*tuesday/scene\.json"):
        read(run)
    if text is not None:
        write_model(run / "run.json", read_run(run).model_copy(update={"files": {}}))  # as Homie 0.1 left it
        with pytest.raises(BadInput, match=r"^Cannot read .*tuesday/scene\.json: .*"):
            make_split(open_sources([run]), "house", 0.5, 0)


def test_where_the_planner_chose_no_model_it_is_that_whose_skill_ran(tmp_path):
    chosen = read(write_run(tmp_path / "chosen", ["a-0"], REPLANNED))
    silent = read(write_run(tmp_path / "silent", ["a-0"], REPLANNED, choosing=False))
    assert [step.model for step in silent.steps[1:]] == [step.model for step in chosen.steps[1:]]
    assert silent.steps[-1].model == "", "End has none"
    able = next(name for name, ability in ABILITIES.items() if "Pick" in ability.actions)
    assert silent.steps[0].model == able, "nothing ran: the first that has the action"


@pytest.mark.parametrize(("mark", "success"), [("success", True), ("failure", False), (None, None)])
def test_whether_it_was_done_people_say(tmp_path, mark, success):
    run = write_run(tmp_path / "run", ["a-0"])
    if mark:
        add_note(run / "episodes/a-0", note("mark", mark))
    add_note(run / "episodes/a-0", note("analysis", "because it is nearest", round=1))
    sample = read(run)
    assert sample.done is success
    assert [step.analysis for step in sample.steps[:2]] == ["because it is nearest", "so [Pick, apple]"]
    add_note(run / "episodes/a-0", note("discard"))
    with pytest.raises(SkippedEpisode, match=r"^a person discarded it$"):
        read(run)


def test_what_cannot_be_used_and_why(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"], DONE)
    episode = run / "episodes/a-0"
    picture = sorted((episode / "frames").glob("*.png"))[0]
    content = picture.read_bytes()
    picture.unlink()
    with pytest.raises(SkippedEpisode, match=rf"^damaged: {picture.name} is missing$"):
        read(run)
    picture.write_bytes(content)
    ending = read_episode(episode)
    lines = (episode / INPUTS).read_bytes().splitlines(keepends=True)
    (episode / INPUTS).write_bytes(b"".join(lines[:-1]))
    with pytest.raises(SkippedEpisode, match=rf"^damaged: {INPUTS}"):
        read(run)
    write_ending(episode, ending)  # as of an episode that was so from the beginning
    with pytest.raises(SkippedEpisode, match=rf"^{INPUTS} has no round 5$"):
        read(run)
    (episode / INPUTS).unlink()
    write_ending(episode, ending)
    with pytest.raises(SkippedEpisode, match=rf"^it has no {INPUTS}: an older Homie made it"):
        read(run)
    (episode / "episode.json").unlink()
    with pytest.raises(SkippedEpisode, match=r"^it is not finished$"):
        read(run)
