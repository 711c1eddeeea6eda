"""Imports point at the kernel, and what is asked for first imports nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Collection, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("planners", "skills", "perception", "error_detection", "ros_bridge", "suites")
LAYERS = {
    "homie": (
        ("kernel",),
        ("envs",),
        ("runtime",),
        ("bench", "testing"),
        ("data", "gym"),
        ("train",),
        ("studio",),
        ("integrations",),
        ("cli",),
    ),
    "homie.kernel": (
        ("exit_codes", "knowledge", "pose_action", "stop_signals"),
        ("errors",),
        ("actions", "error_codes", "support"),
        ("types", "world"),
        ("robot",),
        ("interfaces",),
        ("function_planner", "skill_table"),
        ("registry", "look_and_detect"),
        ("executor", "scenes"),
        ("episode_rules", "inventory", "options"),
        ("agent", "robot_factory"),
    ),
    "homie.kernel.world": (
        ("furniture", "entity_names", "snapshot", "thresholds"),
        ("household_verbs", "condition_words"),
        ("predicates",),
        ("predicates_people",),
        ("conditions",),
    ),
    "homie.bench": (
        ("intervals_and_tests", "splits", "goal_lines"),
        ("suite",),
        ("options", "keywords", "table_formats", "episode"),
        ("episode_plan",),
        ("finished_episodes",),
        ("resume",),
        ("run_versions",),
        ("runs_inside", "repeatable"),
        ("score",),
        ("authoring",),
        ("play", "report"),
    ),
    "suites.questions": (
        ("question", "options", "written_plans"),
        ("scoring", "released", "rollout"),
        ("folder", "audit"),
        ("table", "marked_answers"),
        ("asking", "making"),
        ("judging",),
        ("command",),
    ),
    "suites.vigil": (
        ("frozen", "actions", "floor", "options", "results"),
        ("record",),
        ("stage", "agents"),
        ("expert", "model", "play_one_episode"),
        ("table", "paired"),
        ("play_episodes",),
        ("command",),
    ),
    "homie.data": (
        ("card_parts", "episode"),
        ("recording",),
        ("emmoe_wording", "pictures"),
        ("examples",),
        ("lerobot",),
        ("sources",),
        ("split",),
        ("options",),
        ("card", "detections"),
        ("training_examples",),
        ("emmoe_export", "lerobot_export", "episode_counts", "read_data_set", "generate", "bags"),
        ("data_set_checks",),
    ),
    "homie.envs.mujoco": (
        ("blueprints", "render"),
        ("meshes",),
        ("house",),
        ("appliance_switches", "people", "resting", "robots", "initial_state", "scene_map"),
        ("states_of_things", "table"),
        ("world",),
        ("generate", "snapshot"),
        ("home",),
        ("mjcf_house",),
    ),
    "planners": (
        ("common_sense", "parse_subtask", "scripted_respondents", "play_desk"),
        ("rule", "llm", "human", "random_valid", "scripted", "play_server"),
        ("erring", "homiebot", "emmoe"),
    ),
    "planners.llm": (
        ("answer_formats", "messages"),
        ("reading", "setting_advice"),
        ("numbered_choices",),
        ("prompting",),
        ("model_planner",),
        ("calls", "rewriting", "model_respondent", "external_model"),
        ("providers", "local", "training_examples", "answers_trainer", "tiny_model"),
        ("lora_layers", "lora_merging", "kept_checkpoints"),
        ("trainer",),
    ),
    "perception": (
        ("colours", "box_suppression", "numbered_boxes"),
        ("names", "scan"),
        ("outlines",),
        ("localise",),
        ("memory", "detectors"),
        ("arm_obstacles", "walls"),
        ("mapping", "learned"),
        ("goals",),
        ("locator",),
    ),
    "skills": (
        ("attempts", "ideal_reliability", "policy_access", "policy_codec"),
        ("checkpoints", "motion", "policy_messages"),
        ("classical",),
        ("policies", "ideal_places", "simulated_moveit_and_nav2"),
        ("ideal_skill", "moveit", "nav2", "own_actions", "policy_wire", "policy_server"),
        ("ideal_skill_set", "policy_client"),
        ("remote_policies", "dialects"),
        ("nomad", "pixnav", "effector", "m3", "lerobot", "household", "discrete_actions"),
    ),
    "ros_bridge": (
        ("transport", "process_signals", "served_messages"),
        ("profiles", "served_trajectory"),
        ("served_description", "served_fingers", "instructions"),
        ("guard", "bag", "bag_reading", "served_pictures", "simulated_moveit", "simulated_nav2"),
        ("bag_recording", "robot", "served_robot"),
        ("serving_process",),
    ),
    "suites": (
        ("published", "leaderboard_sheet"),
        ("questions", "vigil", "leaderboard_drilldown"),
        ("authoring", "tables", "leaderboard_questions"),
        ("leaderboard_results",),
        ("leaderboard_page", "commands"),
    ),
    "ros_bridge.guard": (
        ("messages", "aiming", "silence", "state"),
        ("moveit", "greeting"),
        ("command_checks", "measured", "commands_to_robot"),
        ("guard",),
        ("sockets",),
        ("link", "reports", "force_sensor", "keyboard"),
        ("emergency_stop",),
        ("process",),
    ),
    "ros_bridge.transport": (
        ("interface", "network", "refusals"),
        ("stamps",),
        ("readings", "clocks"),
        ("dds", "ros_messages"),
        ("joints", "transforms", "actions", "ros_node"),
        ("opening",),
    ),
}
"""The rooms of a folder from the ground up: each imports only what is on a lower floor."""
CONTRACTS = (
    "homie.kernel.errors",
    "homie.kernel.actions",
    "homie.kernel.error_codes",
    "homie.kernel.knowledge",
    "homie.kernel.pose_action",
    "homie.kernel.types",
    "homie.kernel.interfaces",
    "homie.kernel.world.furniture",
    "homie.kernel.world.thresholds",
)
MAY_IMPORT = {
    # names and colours are words; numbered boxes are one thing in list and picture
    "planners": (
        *CONTRACTS,
        "homie.kernel.support",
        "perception.names",
        "perception.colours",
        "perception.numbered_boxes",
    ),
    # a policy that is served elsewhere and the formats of checkpoints are known by their names
    "skills": (
        *CONTRACTS,
        "homie.kernel.support",
        "homie.kernel.robot",
        "homie.kernel.registry",
        "homie.kernel.world.household_verbs",
        "perception",
    ),
    "perception": (*CONTRACTS, "homie.kernel.support"),
    "error_detection": (*CONTRACTS, "homie.kernel.support"),
    # the body of a robot and its simulated twin are known by their names
    "ros_bridge": (
        *CONTRACTS,
        "homie.kernel.support",
        "homie.kernel.robot",
        "homie.kernel.robot_factory",
        "homie.kernel.options",
        "homie.kernel.registry",
        "homie.kernel.world",
    ),
    # the other way round nobody imports it: it is found by entry points
    "suites": ("homie", "skills"),
}
HEAVY = ("mujoco", "cv2", "av", "torch", "numpy", "pydantic", "PIL", "yaml")


def imported_modules(path: Path) -> Iterator[str]:
    """The modules that a file imports, at the top or inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def inside(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_import_only_the_contracts(folder):
    own_packages = ("homie", *FOLDERS)
    allowed = (folder, *MAY_IMPORT[folder])
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files(folder)
        for name in imported_modules(path)
        if inside(name, own_packages) and not inside(name, allowed)
    ]
    assert wrong == []


def test_the_robot_server_imports_nothing_of_homie():
    """It runs in other Pythons, which have numpy and msgpack. Its worlds are the simulators of others."""
    allowed = (*sys.stdlib_module_names, "numpy", "msgpack", "robot_server")
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files("robot_server")
        for name in imported_modules(path)
        if not inside(name, (*allowed, *(("mujoco", "robosuite", "habitat") if path.parent.name == "worlds" else ())))
    ]
    assert wrong == []


def test_the_kernel_imports_no_folder():
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files("homie")
        for name in imported_modules(path)
        if inside(name, FOLDERS)
    ]
    assert wrong == []


def test_bench_and_runtime_know_no_environment():
    """What they need of one they ask through `homie.kernel.world` and `homie.kernel.scenes`. The fake of
    AI2-THOR's controller is a kit beside the others, and plays that simulator's words."""
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for folder in ("homie/bench", "homie/runtime", "homie/testing")
        for path in files(folder)
        for name in imported_modules(path)
        if inside(name, ("homie.envs",)) and not (path.stem.startswith("thor_") and inside(name, ("homie.envs.thor",)))
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", LAYERS)
def test_a_folder_is_a_layer(folder):
    floors = {room: floor for floor, rooms in enumerate(LAYERS[folder]) for room in rooms}
    top = ROOT / folder.replace(".", "/")
    wrong = []
    for path in sorted(top.rglob("*.py")):
        room = path.relative_to(top).with_suffix("").parts[0]
        for name in imported_modules(path) if room in floors else ():
            other = name.removeprefix(f"{folder}.").split(".")[0] if inside(name, (folder,)) else room
            if other != room and floors.get(other, -1) >= floors[room]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


@pytest.mark.parametrize("folder", LAYERS)
def test_every_room_has_its_floor(folder):
    top = ROOT / folder.replace(".", "/")
    rooms = {path.stem for path in top.glob("*.py")} | {path.parent.name for path in top.glob("*/__init__.py")}
    entrances = {"__init__", "__main__"}
    assert rooms - entrances == {room for floor in LAYERS[folder] for room in floor}


def test_the_tests_of_the_core_need_no_suites() -> None:
    core = [path for path in files("tests") if path.relative_to(ROOT).parts[1] not in ("suites", "golden")]
    assert len(core) > 300
    assert [str(path) for path in core if any(inside(name, ("suites",)) for name in imported_modules(path))] == []


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest collects only the first of them."""
    names = [path.name for path in sorted((ROOT / "tests").rglob("test_*.py"))]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_no_module_imports_itself_by_way_of_others():
    """Imports inside functions and those for types alone count too: a circle cannot be read from one end."""
    own_modules = {_module(path): path for folder in ("homie", *FOLDERS) for path in files(folder)}
    imports = {
        name: {_owner(other, own_modules) for other in imported_modules(path)} - {name, ""}
        for name, path in own_modules.items()
    }
    assert len(imports) > 300 and "homie.kernel.types" in imports["homie.kernel.agent"]
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _owner(name: str, modules: Collection[str]) -> str:
    """The module that an imported name is of, "" for one of somebody else."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def loaded_by(code: str) -> list[str]:
    """The heavy packages that a fresh Python has loaded after running some code."""
    probe = f"import sys\n{code}\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    completed = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return completed.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(
    "code",
    [
        "import homie; homie.run; homie.__version__",
        "import homie.kernel.errors, homie.kernel.registry",
        "from homie.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        "from homie.cli.main import main\ntry: main(['--version'])\nexcept SystemExit: pass",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code):
    assert loaded_by(code) == []


def test_a_run_without_video_imports_no_coder_of_videos():
    assert "av" not in loaded_by("import homie.cli.app, homie.cli.parameters, homie.runtime.session")


def test_the_probe_sees_what_is_heavy():
    assert loaded_by("import homie.kernel.types") == ["numpy"]
    assert "pydantic" in loaded_by("import homie; homie.RunOptions")


def test_the_registry_knows_only_what_exists():
    import importlib
    from importlib.util import find_spec

    from homie.kernel.registry import BUILT_IN

    for kind, table in BUILT_IN.items():
        for name, target in table.items():
            module, _, attribute = target.partition(":")
            try:
                exists = hasattr(importlib.import_module(module), attribute)
            except ModuleNotFoundError as error:  # an extra that this environment has not
                if str(error.name).partition(".")[0] in ("homie", "planners", "skills", "perception", "ros_bridge"):
                    raise
                source = Path(find_spec(module).origin).read_text(encoding="utf-8")
                exists = attribute in {node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
            assert exists, f"{kind} {name}: {target}"
