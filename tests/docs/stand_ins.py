"""Fakes of files that a page names but the repository lacks: small weights, pictures, models, suites, recordings.

Networks have random weights; in language models just enough of them are set to end every task at once.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[2]
TOKENS = 32_768
"""Context length of the language models, as in the models of the same name."""
SUITE = """\
format: 1
name: mine
protocol: {rounds: 4, trials: 1}
tasks:
  - id: fridge-1
    text: go to the fridge
    scene: {seed: 7, rooms: 2, objects: 4}
    goal: {robot_in: kitchen}
  - id: apple-1
    text: go to the apple
    scene: {seed: 7, rooms: 2, objects: 4, added: [apple@table_1]}
    keypaths: [["[Go to, apple]", "[End]"]]
"""
TASKS = ("apple-1", "apple-2", "fridge-1", "fridge-2")
LINES = ("begin put the ball in the box", "forward 0.5", "go to ball", "pick ball", "go to box", "put ball in box")
Make = Callable[[Path], object]


def generated(policy: str) -> Make:
    """Make the checkpoint of a policy with random weights, with the command that users have for it."""

    def make(path: Path) -> None:
        command = [sys.executable, "-m", "homie", "skill", "generate", policy, str(path)]
        subprocess.run(command, check=True, capture_output=True)

    return make


def text(content: str) -> Make:
    """Write a file."""
    return lambda path: path.write_text(content, encoding="utf-8")


def clone(name: str) -> Make:
    """Copy a file of the repository that a command of the page may overwrite."""
    return lambda path: shutil.copy(ROOT / name, path)


def picture(path: Path) -> None:
    Image.fromarray(np.full((64, 64, 3), 128, np.uint8)).save(path)


def chart(path: Path) -> None:
    """Make a topological map of three pictures."""
    path.mkdir()
    for number in range(3):
        picture(path / f"{number}.png")
    (path / "names.json").write_text(json.dumps({"loop": True, "names": {"kitchen": [2]}}))


# ------------------------------------------------------------ language models (torch takes seconds: imported when made)


def model(kind: str) -> Make:
    """Make a tiny language model that ends every task."""

    def make(path: Path) -> None:
        import torch
        import transformers
        from tiny_models import ROOM, tiny_model

        tiny_model(path, kind)
        tokenizer = transformers.AutoTokenizer.from_pretrained(path)
        kinds = transformers.AutoModelForCausalLM if kind == "qwen2" else transformers.AutoModelForImageTextToText
        network = kinds.from_pretrained(path)
        with torch.no_grad():
            # One feature dominates at every token, so its output weights determine the next token: of those that the
            # grammar allows, the tokens that close what is open, then the action End.
            network.get_input_embeddings().weight[:, 0] = 50.0
            head = network.get_output_embeddings().weight
            head[:, 0] = 0.0
            for token, number in tokenizer.get_vocab().items():
                if token in ('"', "}", "]"):
                    head[number, 0] = 50.0
                elif "End".startswith(token):
                    head[number, 0] = 40.0
        network.save_pretrained(path)
        config = path / "config.json"
        place = '"max_position_embeddings": {}'
        config.write_text(config.read_text().replace(place.format(ROOM), place.format(TOKENS)))

    return make


def adapter(path: Path) -> None:
    """Make an untrained LoRA adapter of the tiny LLaVA, which does not change its outputs."""
    import peft
    import transformers
    from tiny_models import llava

    network, *_ = llava()
    assert isinstance(network, transformers.PreTrainedModel)
    config = peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"])
    peft.get_peft_model(network, config).save_pretrained(path)


# ------------------------------------------------------------ policies and detectors


def octo(path: Path) -> None:
    from octo_releases import write

    write(path)


def embeddings(*shape: int) -> Make:
    """Make a table of texts with random embeddings of a shape."""

    def make(path: Path) -> None:
        texts = np.array(["pick apple", "put apple in bowl"])
        numbers = np.random.default_rng(0).normal(size=(len(texts), *shape)).astype(np.float32)
        np.savez(path, texts=texts, embeddings=numbers)

    return make


def detector(path: Path) -> None:
    from graphs import finder

    finder(path)


# ------------------------------------------------------------ runs, recordings, data


def bench_run(planner: str, way: str) -> Make:
    """Make the run folder of a small bench in which all episodes have the same course (a name of `bench_runs`)."""

    def make(path: Path) -> None:
        import bench_runs

        ways = {(task, trial): getattr(bench_runs, way) for task in TASKS for trial in range(2)}
        tasks = bench_runs.suite(len(TASKS)).tasks
        copies = tuple(task.model_copy(update={"id": name}) for task, name in zip(tasks, TASKS, strict=True))
        bench_runs.write_run(path, ways, planner=planner, tasks=bench_runs.suite().model_copy(update={"tasks": copies}))

    return make


def single_run(path: Path) -> None:
    from bench_runs import DONE, write_single

    write_single(path, {"put-the-apple": DONE})


def recording(more: str = "forward 0.5") -> Make:
    """Record an episode in the tiny world of the tests, with one additional command."""

    def make(path: Path) -> None:
        from test_recording import drive

        assert drive(path, (*LINES, more, "end success")) == []

    return make


def lerobot(path: Path) -> None:
    """Make a LeRobot data set of the same robot."""
    from homie.data.lerobot_export import export_lerobot
    from homie.data.options import LeRobotOptions

    recording("left")(path.with_suffix(".source"))
    export_lerobot(LeRobotOptions.build(sources=[path.with_suffix(".source")], out=path))


def data_set(purpose: str) -> Make:
    """Make a data set of two short episodes."""

    def make(path: Path) -> None:
        from episodes import REPLANNED, write_run

        from homie.data.options import TrainingOptions
        from homie.data.training_examples import make_dataset

        run = write_run(path.with_suffix(".source"), ["a-0", "b-0"], REPLANNED)
        # A short prompt: the tokenizers of tiny models split words into many tokens.
        prompt = {"template": str(ROOT / "examples/training/brief.md"), "prompt_settings": {"examples": 0}}
        make_dataset(TrainingOptions.build(sources=[run], out=path, keep="all", **prompt), purpose)

    return make


def robot(path: Path) -> None:
    from test_profiles import URDF

    path.write_text(URDF, encoding="utf-8")


def meshes(path: Path) -> None:
    import trimesh

    path.mkdir()
    trimesh.creation.icosphere(2).export(path / "apple.glb")


MADE_SUITE = ("homie/bench/suite/homie-100.yaml", "tests/bench/homie-100-second-hand.yaml")
STAND_INS: Mapping[str, Make] = {
    "suite.yaml": text(SUITE),
    "my-suite.yaml": text(SUITE),
    "nomad.pth": generated("nomad"),
    "navigator.ckpt": generated("pixnav"),
    "rt_1_x_jax/checkpoint": generated("rt1x"),
    "use.npz": embeddings(512),
    "checkpoints/m3": generated("m3"),
    "octo-small-1.5": octo,
    "t5.npz": embeddings(16, 768),
    "maps/home": chart,
    "model.onnx": detector,
    "yolo11n.onnx": detector,
    "front.png": picture,
    "my-meshes": meshes,
    "left.png": picture,
    "export.txt": text("recordings/monday\n"),
    "robot.urdf": robot,
    "runs/rule": bench_run("rule", "DONE"),
    "runs/chat": bench_run("chat", "LATE"),
    "runs/demo": single_run,
    "runs/20261121-101500-put-the-apple": single_run,
    "recordings/monday": recording("forward 0.2"),
    "recordings/tuesday": recording("forward 0.3"),
    "recordings/wednesday": recording("forward 0.4"),
    "data/somebody-elses": lerobot,
    "data/sft": data_set("sft"),
    "data/dpo": data_set("dpo"),
    "runs/my-adapter": adapter,
    "models/Qwen2.5-VL-3B-Instruct": model("qwen2_5_vl"),
    "models/llava-1.5-7b-hf": model("llava"),
    "models/Qwen2.5-3B-Instruct": model("qwen2"),
    "docs/data/homie-100-experts.json": clone("docs/data/homie-100-experts.json"),
    **{name: clone(name) for name in MADE_SUITE},
}
"""Fakes by the path that a page names."""
NEEDS = {
    "suites.authoring.make_homie_100": (*MADE_SUITE, "docs/data/homie-100-experts.json"),
    "export.txt": ("recordings/monday",),
}
"""Files of the repository that a command reads or writes, and that a page need not name."""
