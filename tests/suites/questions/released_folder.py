"""A small folder in RoboBench's released layout: two plans, a next step, a done, two choices, a point and a path."""

from __future__ import annotations

import json
from pathlib import Path

import PIL.Image

PLANS = "3_generalized_planning/cross_task/rigid"
CHOICES = "2_perception_reasoning/robot/robot_view"
PLACES = "4_affordance_reasoning/static/static_affordance"
TRUTHS = {
    f"{PLANS}/images/ep1_Q1": "1-open(fridge), 2-pick_up(t-shirt), 3-place(t-shirt, fridge)",
    f"{PLANS}/images/ep2_Q1": "1-pick_up(cup), 2-place(cup, table)",
    f"{PLANS}/images/ep1_Q2": "2-pick_up(t-shirt)",
    f"{PLANS}/images/ep1_Q3": "yes",
    f"{CHOICES}/images/v1": "B",
    f"{CHOICES}/images/v2": "A",
    f"{PLACES}/images/p1": "(0.5, 0.5)",
    f"{PLACES}/images/p2": "[[0.1, 0.1], [0.5, 0.1], [0.9, 0.1]]",
}
"""By unique id."""


def write_release(top: Path) -> Path:
    texts = {f"skill_list_Q{n}": f"<Q{n}>" for n in (1, 2, 3)}
    texts |= {"robot_view": "<view>", "MCQ_post_prompt": "<post>", "afforadance_point": "<place>"}
    top.mkdir(parents=True, exist_ok=True)
    (top / "system_prompt.json").write_text(json.dumps(texts))
    for place in (PLANS, CHOICES, PLACES):
        entries = [_entry(name, truth) for name, truth in TRUTHS.items() if name.startswith(place)]
        for entry in entries:
            episode = Path(str(entry["unique_id"]).removesuffix("_Q1").removesuffix("_Q2").removesuffix("_Q3"))
            (top / episode).mkdir(parents=True, exist_ok=True)
            PIL.Image.new("RGB", (4, 4)).save(top / episode / "a.png")
        (top / place / "questions.json").write_text(json.dumps(entries))
    dags = [
        {"id": f"{PLANS}/images/{name}", "gt_dag": {"edges": edges}, "v2": None}
        for name, edges in (("ep1", [[1, 2], [2, 3]]), ("ep2", [[1, 2]]))
    ]
    (top / PLANS / "dag.json").write_text(json.dumps(dags))
    return top


def _entry(name: str, truth: str) -> dict[str, object]:
    task = name.partition("/images/")[0].split("/")
    entry: dict[str, object] = {
        "unique_id": name,
        "task_type": task,
        "question": "What?",
        "gt_answer": truth,
        "image_urls": ["a.png"],
        "robotic_type": "single-arm",
        "input_type": "images",
    }
    return entry | {"options": ["hand", "head"]} if task[0].startswith("2_") else entry
