"""`homie.open`: a robot that stays open, in the tiny world and in a small home."""

from __future__ import annotations

import json

import numpy as np
import pytest
from homes import one_room
from homie_tiny import FilmedTinyRobot, TinyDetector, TinyLocator, TinyRobot, TinySkills

import homie
from homie.kernel.errors import BadInput, MissingPart, PartError
from homie.kernel.interfaces import EpisodeListener, Planner
from homie.kernel.options import OpenOptions, RunOptions
from homie.kernel.types import END, Decision, ErrorCode, Subtask, SubtaskRecorded, SubtaskStarted
from homie.runtime.assembly import choose
from homie.runtime.display import ProgressDisplay
from homie.runtime.keywords import OpenKeywords, RunKeywords
from homie.runtime.open_session import Session, save_picture
from homie.runtime.provenance import read_parts
from homie.runtime.session import EpisodeSummary

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}
STEPS = (("Go to", "ball"), ("Pick", "ball"), ("Go to", "box"), ("Put", "ball", "box"))


class Steps(Planner):
    """Does the task of the tiny world."""

    name = "steps"

    def __init__(self) -> None:
        self.inputs = []

    def reset(self, task, *, seed):
        self.inputs = []

    def decide(self, planner_input):
        self.inputs.append(planner_input)
        count = len(planner_input.history)
        return Decision((Subtask(*STEPS[count]),) if count < len(STEPS) else (END,))


def test_the_public_names():
    assert homie.Session is Session and homie.EpisodeSummary is EpisodeSummary and homie.RunOptions is RunOptions
    with pytest.raises(AttributeError, match="module 'homie' has no attribute 'Episodes'"):
        _ = homie.Episodes


def test_the_keywords_are_the_options():
    assert OpenKeywords.__optional_keys__ == set(OpenOptions.model_fields) - {"video", "frames"}
    assert RunKeywords.__optional_keys__ == set(RunOptions.model_fields) - {"task"}


def test_skills_are_called_one_by_one_and_the_inventory_is_kept():
    with homie.open(**TINY) as session:
        assert session.actions == ("Go to", "Pick", "Put", "End")
        record = session.call("Pick", "ball")
        assert record.feedback.code is ErrorCode.D1 and not record.attempts and session.inventory == ()
        assert session.call("go_to", "ball").feedback.ok
        assert session.call("Pick", "ball").feedback.ok and session.inventory == ("ball",)
        assert session.call("Pick", "ball").feedback.code is ErrorCode.L1
        assert session.call("Go to", "box").feedback.ok and session.call("Put", "ball", "box").feedback.ok
        assert session.inventory == () and session.world_state().held is None
        assert [item.number for item in session.history] == [1, 2, 3, 4, 5, 6]
        session.reset()
        assert session.history == () and session.world_state().objects["ball"].position[0] == 2.5


def test_a_planner_goes_on_round_by_round_from_the_world_as_it_is():
    planner = Steps()
    with homie.open(planner=planner, **TINY) as session:
        rounds = []
        for number, played in enumerate(session.rounds("put the ball in the box"), 1):
            rounds.append(played)
            assert played.number == number
            if number == 2:
                break
        assert session.inventory == ("ball",) and str(rounds[1]) == "round 2: [Pick, ball] ok"
        assert session.call("Go to", "box").feedback.ok
        (first, *_) = session.rounds("say what you hold")
        assert planner.inputs[0].inventory == ("ball",), "a new task, the same world"
        assert not first.over
        assert len(session.history) > 3
    with homie.open(planner=Steps(), **TINY) as session:
        *_, last = session.rounds("put the ball in the box")
        assert last.over and last.number == 5 and session.world_state().objects["ball"].at == "box"
        with pytest.raises(BadInput, match="instruction is empty"):
            session.rounds(" ")


class Rounds(EpisodeListener):
    """Keeps what a record says of its round."""

    def __init__(self) -> None:
        self.records: list[object] = []

    def on(self, event):
        if isinstance(event, SubtaskRecorded):
            record = event.record
            self.records.append((record.round, str(record.execution.subtask), record.inventory, record.stamp))


def test_what_a_session_says_of_itself():
    with homie.open(planner=Steps(), **TINY) as session:
        assert session.models == ("tiny",) and session.robot.spec.name == "tiny"
        assert {detection.name for detection in session.detections()} == {"ball", "box"}
        assert list(session.observe("front").frames) == ["front"]
        assert list(session.observe().frames) == list(session.views()) == list(session.robot.views)
        assert list(session.depth()) == list(session.robot.views)
        assert all((depth == 9.0).all() for depth in session.depth().values()), "a wall at the end of the line"
        assert session.film().shape == (480, 640, 3) and session.film(size=(64, 48)).shape == (48, 64, 3)


def test_rounds_and_calls_count_on_in_one_history():
    with homie.open(planner=Steps(), **TINY) as session:
        wrong = session.call("Fly", "ball")
        record = session.call("Go to", "ball", model="octo")
        assert (wrong.feedback.code, record.feedback.code) == (ErrorCode.F1, ErrorCode.F1)
        assert session.call("Go to", "ball", model="tiny").feedback.ok
        first, second, *_, last = session.rounds("  put the ball in the box ")
        assert str(first) == "round 1: [Go to, ball] ok" and (first.number, second.number) == (1, 2)
        assert second.inventory == ("ball",) and second.feedback.ok and str(last) == "round 5: [End] ok"
        assert second.decision.subtasks == (Subtask("Pick", "ball"),) == (second.executions[0].subtask,)
        assert [item.number for item in session.history] == [1, 2, 3, 4, 5, 6, 7, 8]
        assert [str(item.subtask) for item in session.history][2:5] == [
            "[Go to, ball]",
            "[Go to, ball]",
            "[Pick, ball]",
        ]
        session.reset()
        (failed,) = [played for number, played in zip(range(1), session.rounds("go"), strict=False)]
        assert session.call("Pick", "box").feedback.code is ErrorCode.L4 and failed.over is False


def test_a_round_that_fails_is_written_with_its_code():
    class Far(Steps):
        def decide(self, planner_input):
            return Decision((Subtask("Pick", "ball"),))

    with homie.open(planner=Far(), rounds=2, **TINY) as session:
        first, second = session.rounds("go")
        assert str(first) == "round 1: [Pick, ball] D1" and (first.over, second.over) == (False, True)


def test_progress_is_written_to_stderr_for_calls_and_runs(capsys, tmp_path):
    with homie.open(planner=Steps(), progress=True, **TINY) as session:
        session.call("Go to", "ball")
    printed = capsys.readouterr()
    assert "doing     [Go to, ball]" in printed.err and "feedback  success" in printed.err and not printed.out
    homie.run("put the ball in the box", planner=Steps(), out=tmp_path / "run", video=False, progress=True, **TINY)
    assert "The planner ended the task after 5 rounds" in capsys.readouterr().err
    with homie.open(**TINY) as session:
        session.call("Go to", "ball")
    homie.run("put the ball in the box", planner=Steps(), out=tmp_path / "quiet", video=False, **TINY)
    assert capsys.readouterr().err == ""


def test_listeners_of_a_run_hear_of_every_round(tmp_path):
    first, second = Rounds(), Rounds()
    with homie.open(planner=Steps(), seed=3, rounds=4, **TINY) as session:
        summary = session.run("put the ball in the box", first, out=tmp_path / "run", video=False)
        assert session.inventory == summary.result.inventory and session.history == summary.result.history
        assert len(session.history) == 4
    again = homie.run("put the ball in the box", second, planner=Steps(), seed=3, rounds=4, video=False,
                      out=tmp_path / "again", **TINY)  # fmt: skip
    assert first.records == second.records and [record[0] for record in first.records] == [1, 2, 3, 4]
    assert summary.result.ended_by == again.result.ended_by == "rounds"
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["seed"] == 3 and run["options"]["rounds"] == 4


def test_a_given_robot_gets_the_seed_and_is_kept():
    seeds = []

    class Seeded(FilmedTinyRobot):
        def _restart(self, *, seed):
            seeds.append(seed)
            super()._restart(seed=seed)

    robot = Seeded()
    with homie.open(**{**TINY, "robot": robot}) as session:
        session.call("Go to", "ball")
        session.reset(5)
        assert session.robot is robot and not robot.closed and session.options.seed == 5
        session.reset()
        assert seeds == [0, 5, 5] and session.history == ()
        with pytest.raises(BadInput, match="seed"):
            session.reset(-1)
        assert session.options.seed == 5


def test_another_seed_lets_go_of_the_robot_of_before():
    with homie.open(seed=3, **TINY) as session:
        before = session.robot
        session.reset(3)
        assert session.robot is before and not before.closed
        session.reset(4)
        assert session.robot is not before and before.closed and not session.robot.closed


def test_pictures_are_written_where_they_were_asked_for(tmp_path):
    with homie.open(**TINY) as session:
        paths = session.save_views(tmp_path / "some" / "views")
        assert paths == [tmp_path / "some" / "views" / f"{name}.png" for name in session.views()]
        assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
    picture = np.zeros((4, 4, 3), np.uint8)
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match=r"^Cannot write the picture .*file/a\.png: (File exists|Not a directory)\.$"):
        save_picture(picture, tmp_path / "file" / "a.png")
    with pytest.raises(BadInput, match=r"^Cannot write the picture .*a\.nothing: unknown file extension: \.nothing\.$"):
        save_picture(picture, tmp_path / "a.nothing")


def test_a_session_that_cannot_begin_leaves_nothing_open(monkeypatch):
    class Kept(TinySkills):
        closed = 0

        def close(self):
            Kept.closed += 1

    class Gone(FilmedTinyRobot):
        def _restart(self, *, seed):
            raise MissingPart("It is not there.")

    monkeypatch.setattr("homie_tiny.TinySkills", Kept)
    with pytest.raises(MissingPart, match="not there"):
        homie.open(**{**TINY, "robot": Gone()})
    assert Kept.closed == 1


def test_a_session_writes_run_folders_and_stays_open(tmp_path):
    robot = FilmedTinyRobot()
    parts = {"robot": robot, "skills": TinySkills(), "detector": TinyDetector(), "targets": TinyLocator}
    with homie.open(planner=Steps(), **parts) as session:
        session.call("Go to", "ball")
        for name in ("one", "two"):
            summary = session.run("put the ball in the box", out=tmp_path / name, video=False)
            assert summary.result.ended_by == "ended" and summary.result.rounds == 5
            assert not robot.closed and robot.calls[-1] == "stop"
    assert robot.closed
    first, second = ((tmp_path / name / "run.json").read_text() for name in ("one", "two"))
    run_file = json.loads(first)
    assert run_file["options"]["planner"] == f"object:{__name__}.Steps"
    made_with = read_parts(tmp_path / "one", run_file["parts"])
    assert made_with is not None
    assert (
        made_with.planner["class"] == f"{__name__}:Steps" and made_with.robot["class"] == "homie_tiny:FilmedTinyRobot"
    )
    assert made_with.skills["tiny"]["class"] == "homie_tiny:TinySkills"
    assert run_file["options"]["targets"] == "homie_tiny:TinyLocator", (
        "a class of a module has a name that is found again"
    )
    steps = [(tmp_path / name / "episodes/put-the-ball-in-the-box-0/final_state.json") for name in ("one", "two")]
    assert steps[0].read_text() == steps[1].read_text(), "each begins at the start of the scene"
    with pytest.raises(BadInput, match=rf"planner was an object of {__name__}.Steps .* give another"):
        homie.run("put the ball in the box", config=tmp_path / "two", out=tmp_path / "three")
    assert second and not (tmp_path / "three").exists()


def test_a_run_is_made_again_from_its_folder(tmp_path, tiny_options):
    before = homie.runtime.session.run(tiny_options(seed=4))
    again = homie.run("put the ball in the box", config=before.run_folder, out=tmp_path / "again")
    files = [folder / "steps.jsonl" for folder in (before.episode_folder, again.episode_folder)]
    first, second = ([{**json.loads(line), "timings": 0} for line in path.read_text().splitlines()] for path in files)
    assert first == second
    run_file = json.loads((again.run_folder / "run.json").read_text())
    assert run_file["seed"] == 4 and run_file["options"]["video"] is False


def test_a_home_is_looked_at_filmed_and_changed(tmp_path):
    scene = tmp_path / "scene.json"
    mug = {"name": "mug_1", "kind": "mug", "colour": "red", "x": 1.0, "y": 1.0}
    table = {"name": "table_1", "kind": "table", "colour": "brown", "x": 3.0, "y": 2.0, "yaw": 3.14159}
    scene.write_text(one_room([table], [mug]).dump())
    with homie.open(scene=scene, picture_size=(96, 64)) as session:
        views, depth = session.views(), session.depth()
        assert list(views) == ["front", "left", "back", "right"]
        assert all(view.shape == (64, 96, 3) and view.dtype == np.uint8 for view in views.values())
        assert depth["front"].shape == (64, 96) and 0.3 < depth["front"][40, 48] < 3.0
        x, y = session.observe().body.base.xy
        above = session.film((x, y, 3.0), (x, y, 0.0), size=(60, 40))
        aside = session.film((x + 2.0, y, 1.0), (x, y, 0.5), size=(60, 40))
        assert above.shape == aside.shape == (40, 60, 3) and (above != aside).any() and above.std() > 5
        assert session.film().shape == (480, 640, 3)
        with pytest.raises(BadInput, match="position and lookat"):
            session.film(position=(0.0, 0.0, 1.0))
        with pytest.raises(BadInput, match="look at where it is"):
            session.film((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
        paths = session.save_views(tmp_path / "views")
        assert [path.name for path in paths] == ["front.png", "left.png", "back.png", "right.png"]
        with pytest.raises(BadInput, match="Cannot write the picture"):
            save_picture(above, tmp_path / "picture.nothing")


class Watching(ProgressDisplay):
    """A display that keeps the numbers of rounds."""

    def __init__(self) -> None:
        super().__init__()
        self.shown, self.closed = [], False

    def on(self, event):
        match event:
            case SubtaskStarted(number, subtask):
                self.shown.append((number, str(subtask)))
            case SubtaskRecorded(record):
                self.shown.append((record.round, record.inventory, record.stamp))

    def close(self):
        self.closed = True


def test_what_is_called_is_shown_with_its_number():
    options, display = OpenOptions.build(**TINY), Watching()
    with Session(options, choose(options), display) as session:
        session.call("Go to", "ball")
        session.call("Pick", "ball")
        stamp = session.observe().stamp
        session.robot.observe = lambda *cameras: 1 / 0
        with pytest.raises(ZeroDivisionError):
            session.call("Pick", "ball")
    assert display.shown[0] == (1, "[Go to, ball]") and display.shown[1][:2] == (1, ())
    assert display.shown[2:] == [(2, "[Pick, ball]"), (2, ("ball",), stamp)]
    assert display.closed, "it leaves the terminal to the error"


def test_a_session_begins_at_the_start():
    robot = FilmedTinyRobot()
    robot.x = 2.3
    with homie.open(**{**TINY, "robot": robot}) as session:
        assert session.robot is robot and session.observe().body.base.x == 0.0


def test_a_run_begins_at_the_start_of_the_scene_or_not_at_all(tmp_path):
    scene = tmp_path / "house.json"
    with homie.open(scene=scene, planner=Steps(), seed=3, **TINY) as session:
        session.call("Go to", "ball")
        session.run("put the ball in the box", out=tmp_path / "run", video=False)
        assert session.robot.stamp > 3.0 and len(session.history) == 5
        steps = (tmp_path / "run/episodes/put-the-ball-in-the-box-0/steps.jsonl").read_text().splitlines()
        moved = [json.loads(line)["execution"]["attempts"][0]["robot_seconds"] for line in steps[:2]]
        assert moved[0] > 2.0 and moved[1] < 1.5, "it drives anew"
        before = session.history, session.robot.stamp
        with pytest.raises(BadInput, match="another --out"):
            session.run("another task", out=tmp_path / "run")
        assert (session.history, session.robot.stamp) == before, "refused before anything is put back"
        session.reset(5)
        assert session.options.seed == 5 and session.options.scene == scene


def test_another_seed_is_another_house():
    with homie.open(seed=3, rooms=2, objects=2) as session:
        first = session.robot.scene
        session.reset(4)
        other = session.robot.scene
        session.reset(3)
        assert first != other and session.robot.scene == first and session.options.seed == 3


def test_what_a_robot_has_not_is_refused(tmp_path):
    with pytest.raises(BadInput, match="have their own size: leave out --picture-size"):
        homie.open(picture_size=64, **TINY)
    with homie.open(**TINY) as session, pytest.raises(BadInput, match="The robot 'tiny' cannot be filmed from there"):
        session.film((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))

    class Real(TinyRobot):
        snapshot = None

    with homie.open(**{**TINY, "robot": Real()}) as session:
        with pytest.raises(BadInput, match="has no world state: only simulators know their world"):
            session.world_state()
        with pytest.raises(BadInput, match="cannot be filmed"):
            session.film()


def test_the_robot_stops_when_a_planner_breaks(tmp_path):
    class Broken(Steps):
        def decide(self, planner_input):
            raise ZeroDivisionError

    robot = FilmedTinyRobot()
    with homie.open(**{**TINY, "robot": robot, "planner": Broken()}) as session:
        with pytest.raises(ZeroDivisionError):
            next(session.rounds("go"))
        assert robot.calls == ["stop"]
        session.call("Go to", "ball")
        with pytest.raises(PartError, match="ZeroDivisionError"):
            session.run("go", out=tmp_path / "run", video=False)
        assert session.history == () and session.inventory == (), "the scene was put back for it"
