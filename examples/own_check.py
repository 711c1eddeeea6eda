"""Write a check: a rule that is evaluated before any skill runs, and whose message the planner gets as feedback.

python examples/own_check.py
"""

from __future__ import annotations

import homie
from homie import Check, CheckQuestion, ErrorCode


def hands_off(question: CheckQuestion) -> Check:
    """Reject picking objects that people may be using."""
    if question.action.inventory == "takes" and question.subtask.target == "mug":
        return Check("house rules", ErrorCode.L4, "The mug is in use! Please choose another object")
    return Check("house rules")


def main() -> None:
    with homie.open(seed=7, skills="ideal", picture_size=128, check_order=["paper", hands_off]) as session:
        for target in ("apple", "mug"):
            session.call("Go to", target)
            execution = session.call("Pick", target)
            print(f"Pick {target}: {execution.feedback.message if execution.feedback.code else 'ok'}")
            for check in execution.checks:
                print(f"    {check.layer}: {check.code or 'passed'}")
            session.reset()


if __name__ == "__main__":
    main()
