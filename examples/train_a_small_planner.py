"""Train a small randomly initialized language model as a planner: expert episodes, data, training, bench.

    pip install -c constraints.txt -e '.[train]'
    python examples/train_a_small_planner.py

It memorizes two tasks in a minute on a CPU. `benchmarks/episodes/from_nothing.py` makes hundreds of tasks and tests on
held-out ones; with `model="Qwen/Qwen2.5-VL-3B-Instruct"` instead of `tiny=True` a released model is fine-tuned.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import homie
from homie import SftOptions, TrainingOptions

HERE = Path(__file__).parent
OUT = Path("runs/train_a_small_planner")
PROMPT = {"images": False, "examples": 0, "reasons": False}
"""Prompt settings, in training and when it plays."""


def play(name: str, planner: str, **settings: object) -> homie.BenchSummary:
    return homie.bench(
        HERE / "suites/first-six.yaml",
        planner=planner,
        planner_settings=settings,
        skills="ideal",
        picture_size=64,
        tasks="orange-to-desk,mug-for-the-kitchen",
        trials=1,
        workers=1,
        out=OUT / name,
    )


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    template = str(HERE / "training/brief.md")
    expert = play("expert", "expert")
    data = TrainingOptions.build(
        sources=[expert.run_folder], out=OUT / "data", template=template, prompt_settings=PROMPT, explain=False
    )
    homie.make_dataset(data, "sft")
    training = homie.train_planner(SftOptions.build(data=OUT / "data", out=OUT / "model", tiny=True, epochs=50))
    print(f"{training.lines} lines, {training.steps} steps")
    print(f"loss {training.losses[1]:.1f} at the start, {training.losses[training.steps]:.2f} at the end")
    trained = play("trained", f"transformers:{OUT / 'model'}", template=template, max_new_tokens=256, **PROMPT)
    print(f"the model does {trained.successes} of {trained.episodes} tasks that it has seen")


if __name__ == "__main__":
    main()
