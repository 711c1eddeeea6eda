"""Connect a robot of your own: here a world with high-level actions, as in a simulator with an action API.

    python examples/own_robot.py

A robot whose motors get setpoints in every control period derives from `homie.Robot` instead: docs/robots.md.
"""

from __future__ import annotations

import homie
from homie import FixedState, JointState, ObjectState, RobotState, Subtask, SymbolicRobot, WorldSnapshot

PLACES = {"mailbox": (0.0, 0.0, 0.0), "desk": (5.0, 0.0, 0.0), "door": (9.0, 0.0, 0.0)}  # metres


class Office(SymbolicRobot):
    """A letter, a desk, and a mailbox with a lid."""

    actions = ("Go to", "Pick", "Put", "Open", "Close", "End")

    def _restart(self, *, seed: int) -> None:
        self.at, self.lid = PLACES["door"], 0.0
        self.letter = ObjectState(kind="letter", relation="on", at="desk")

    def snapshot(self) -> WorldSnapshot:
        """Goals, checks, names in sight and the final state are computed from it."""
        return WorldSnapshot(
            objects={"letter": self.letter},
            fixed={
                "desk": FixedState(kind="desk", position=PLACES["desk"], receives="on"),
                "mailbox": FixedState(kind="mailbox", position=PLACES["mailbox"], receives="in"),
            },
            joints={"mailbox/lid": JointState(receptacle="mailbox", fraction=self.lid)},
            held="letter" if self.letter.relation == "held" else None,
            robot=RobotState(x=self.at[0], y=self.at[1]),
        )

    def perform(self, subtask: Subtask, entity: str) -> str:
        match subtask.action:
            case "Go to":
                self.at = PLACES[self.letter.at if entity == "letter" else entity]
            case "Pick":
                self.letter = ObjectState(kind="letter", relation="held", at="robot")
            case "Put":
                self.letter = ObjectState(kind="letter", relation="in" if entity == "mailbox" else "on", at=entity)
            case "Open" | "Close":
                self.lid = float(subtask.action == "Open")
        return ""  # or a sentence that explains why it failed


def main() -> None:
    office = Office()
    summary = homie.run("put the letter in the mailbox", robot=office, skills="own", video=False, out="runs/own_robot")
    for item in summary.result.history:
        print(item.number, item.subtask, item.feedback.status)
    print("the letter is", office.letter.relation, office.letter.at)


if __name__ == "__main__":
    main()
