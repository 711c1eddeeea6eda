"""Run one task in a simulated home and read what happened.

    python examples/run_a_task.py

`skills="ideal"` sets the world at once to the state after a perfect skill: fast, and nothing moves. Leave it out to see
the robot drive and grasp, and leave out `video=False` for a video of it.
"""

from __future__ import annotations

import homie


def main() -> None:
    summary = homie.run(
        "put the apple in the bowl", seed=7, skills="ideal", video=False, picture_size=128, out="runs/run_a_task"
    )
    for record in homie.read_steps(summary.episode_folder):
        feedback = record.execution.feedback
        print(f"round {record.round}: {record.execution.subtask} {'ok' if feedback.ok else feedback.message}")
    print(f"the planner reports: {summary.result.report}")
    print(f"everything is in {summary.run_folder}")


if __name__ == "__main__":
    main()
