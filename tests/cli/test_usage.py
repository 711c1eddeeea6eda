"""A wrong command line is one sentence of one form, whatever finds the mistake."""

from __future__ import annotations

import re

import pytest

from homie.cli.app import run
from homie.kernel.options import RunOptions

WRONG = [
    ("run x --attempts 0", "--attempts must be between 1 and 10 (got 0)."),
    ("run x --attempts three", "--attempts must be a whole number (got 'three')."),
    ("run x --rooms 99", "--rooms must be between 2 and 6 (got 99)."),
    ("run x --seed 1.5", "--seed must be a whole number (got '1.5')."),
    ("run x --seed=", "--seed must be a whole number (got '')."),
    ("run x --seed", "--seed needs a value."),
    ("run x --sed 3", "There is no option --sed: did you mean '--seed'?"),
    ("run x -z", "There is no option -z: `homie run --help-all` lists them."),
    ("run x y z", "`homie run` takes no further 'y z'. Put an instruction in quotes."),
    ("run x --catalogue yc", "--catalogue must be 'ycb' or 'household' (got 'yc')."),
    ("run x --robot-option rooms=99", "Setting of the robot 'mujoco': rooms must be between 2 and 6 (got 99)."),
    ("bench", "Give a suite file, the name of a suite, or a folder of EMMOE-100: `homie bench homie-100`."),
    ("bench homie-10", "There is no suite 'homie-10': did you mean 'homie-100'?"),
    ("bench x --timeout soon", "--timeout must be a number (got 'soon')."),
    ("bench x --timeout 0", "--timeout must be more than 0 (got 0.0)."),
    ("bench x --ray=", "--ray must not be empty."),
    ("report", "Give run folders of `homie bench` or `homie run`: `homie report runs/rule`."),
    ("compare", "Give run folders of `homie bench`: `homie compare runs/rule runs/random`."),
    ("compare a a", "runs: a is given twice."),
    ("data nosuch", "There is no command 'nosuch': `homie data -h` lists them."),
    ("data sft runs", "--out is missing: the folder of the data set."),
    ("plan x --inventory=", "--inventory must not be empty."),
    ("serve policy", "NAME is missing: `homie serve policy NAME`."),
    ("serve policy nomad --port 99999", "--port must be at most 65535 (got '99999')."),
    ("serve policy nomad --port=x", "--port must be a whole number (got 'x')."),
    ("skill generate nomad out --seed -1", "--seed must be at least 0 (got '-1')."),
    ("doctor --jsn", "There is no option --jsn: did you mean '--json'?"),
    ("runn x", "There is no command 'runn': did you mean 'run'?"),
]


@pytest.mark.parametrize(("line", "sentence"), WRONG)
def test_a_wrong_command_line_is_one_sentence(line, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as excinfo:
        run(line.split())
    assert excinfo.value.code == 2
    assert capsys.readouterr() == ("", f"homie: {sentence}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", ["run x --seed 1.5 --json", "run x --sed 3 --json"])
def test_with_json_the_sentence_is_on_stdout_too(line, capsys):
    with pytest.raises(SystemExit):
        run(line.split())
    output, errors = capsys.readouterr()
    assert '"exit_code": 2' in output and output.count("\n") >= 1 and errors.count("\n") == 1


PANELS = ["Planner:", "Robot and house:", "Perception:", "Skills:", "Output:", "Other:"]
TEN = ["planner", "base-url", "api-key-env", "robot", "seed", "scene", "targets", "skills", "out", "video"]
LARGE = ["run", "bench", "studio", "teleop", "plan", "scene", "data sft", "data dpo", "data generate", "train sft"]
LARGE += ["train dpo", "train skill"]


def options_of(output: str) -> list[str]:
    """The long options that a help describes, in order."""
    return re.findall(r"^  (?:-\w, )?--([a-z-]+)", output.partition("Examples:")[0], re.MULTILINE)


def test_the_help_of_run_has_the_ten_options_needed_first_in_panels(homie):
    output = homie("run", "--help").stdout
    assert [line for line in output.splitlines() if line in PANELS] == PANELS
    assert options_of(output) == [*TEN, "help", "help-all"]
    assert '  homie run "put the tomato soup can in the fridge" --seed 4' in output.splitlines()


def test_all_options_of_run_are_in_the_same_panels(homie):
    completed = homie("run", "--help-all")
    assert completed.returncode == 0 and completed.stderr == ""
    assert [line for line in completed.stdout.splitlines() if line in PANELS] == PANELS
    assert {name.replace("_", "-") for name in RunOptions.model_fields} - {"task"} <= {
        *options_of(completed.stdout),
        "planner-settings",
        "robot-settings",
        "skill-settings",
        "detector-settings",
    }
    assert f"Show all {len(options_of(completed.stdout))} options and exit." in completed.stdout
    assert (
        "<str>" not in completed.stdout
        and "--rooms INTEGER" in completed.stdout
        and "--clutter [tidy|messy]" in completed.stdout
    )


@pytest.mark.parametrize("command", LARGE)
def test_the_help_of_a_large_command_is_short_and_all_of_it_can_be_had(command, capsys):
    check_short_help(command, capsys)


def check_short_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Fail unless `--help` shows a few of the options of `--help-all`."""
    few, every = (shown_by([*command.split(), option], capsys) for option in ("--help", "--help-all"))
    assert len(options_of(few)) <= 16 < len(options_of(every))
    assert "typing" not in every
    assert set(options_of(few)) < set(options_of(every)) and few.splitlines()[:3] == every.splitlines()[:3]


def shown_by(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as excinfo:
        run(words)
    assert excinfo.value.code == 0
    return capsys.readouterr().out


def test_the_help_of_a_small_command_has_one_list(capsys):
    with pytest.raises(SystemExit):
        run(["doctor", "-h"])
    output = capsys.readouterr().out
    assert "Options:" in output and "Output:" not in output and "homie doctor" in output
    assert "--log-file" in output and "--help-all" not in output
    assert shown_by(["doctor", "--help-all"], capsys) == output


def test_every_command_stands_in_the_help_with_its_whole_line(capsys):
    from homie.cli.app import COMMANDS
    from homie.cli.help_layout import CHAPTERS

    assert sorted(name for names in CHAPTERS.values() for name in names) == sorted(COMMANDS)
    with pytest.raises(SystemExit):
        run(["-h"])
    assert "..." not in capsys.readouterr().out.partition("Run a robot:")[2].replace("detectors, ...", "")
