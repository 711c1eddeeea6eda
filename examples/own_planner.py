"""Write a planner: each round it gets pictures, names in sight and feedback, and returns the next subtasks.

    python examples/own_planner.py

Once it is in a file on your path it also has a name on the command line: `--planner own_planner:Curious`.
"""

from __future__ import annotations

import homie
from homie import END, Decision, Planner, PlannerInput, Subtask
from homie.testing import check_planner


class Curious(Planner):
    """Goes to everything that it sees, each name once."""

    name = "curious"

    def reset(self, task: str, *, seed: int) -> None:
        self._visited: set[str] = set()

    def decide(self, planner_input: PlannerInput) -> Decision:
        for detection in planner_input.detections:
            if detection.name not in self._visited:
                self._visited.add(detection.name)
                return Decision((Subtask("Go to", detection.name),), f"I have not been at the {detection.name}.")
        return Decision((END,), "I have been everywhere.")


def main() -> None:
    check_planner(Curious(), deterministic=True)  # raises with everything that breaks the contract
    summary = homie.run(
        "look around",
        planner=Curious(),
        seed=7,
        skills="ideal",
        picture_size=128,
        rounds=4,
        video=False,
        out="runs/own_planner",
    )
    for item in summary.result.history:
        print(item.number, item.subtask, item.feedback.status)
    print(f"ended by {summary.result.ended_by}, {summary.result.robot_seconds:.1f} s of robot time")


if __name__ == "__main__":
    main()
