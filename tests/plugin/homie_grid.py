"""Grid world of a third-party package: a key in a chest, a table, and a plant that needs water."""

import random

from homie import FixedState, JointState, ObjectState, RobotState, SymbolicRobot, WorldSnapshot

CELL = 3.0  # metres: objects in the next cell are out of reach


class Grid(SymbolicRobot):
    actions = ("Go to", "Pick", "Put", "Open", "Close", "Water", "End")

    def _restart(self, *, seed):
        cells = [(CELL * x, CELL * y, 0.0) for x in range(4) for y in range(4)]
        self.at = dict(zip(("robot", "chest", "table", "plant"), random.Random(seed).sample(cells, 4), strict=True))
        self.key, self.lid, self.watered = ("in", "chest"), 0.0, False

    def snapshot(self):
        x, y, _ = self.at["robot"]
        return WorldSnapshot(
            objects={"key": ObjectState(kind="key", relation=self.key[0], at=self.key[1])},
            fixed={
                "chest": FixedState(kind="chest", position=self.at["chest"], receives="in"),
                "table": FixedState(kind="table", position=self.at["table"], receives="on"),
                "plant": FixedState(kind="plant", position=self.at["plant"], states={"watered": self.watered}),
            },
            joints={"chest/lid": JointState(receptacle="chest", fraction=self.lid)},
            held="key" if self.key[0] == "held" else None,
            robot=RobotState(x=x, y=y),
        )

    def perform(self, subtask, entity):
        match subtask.action:
            case "Go to":
                self.at["robot"] = self.at[self.key[1] if entity == "key" else entity]
            case "Pick":
                self.key = ("held", "robot")
            case "Put":
                self.key = ("in" if entity == "chest" else "on", entity)
            case "Open" | "Close":
                self.lid = float(subtask.action == "Open")
            case "Water" if entity != "plant" or self.at["robot"] != self.at["plant"]:
                return "Unable to water that! Please go to a plant first"
            case "Water":
                self.watered = True
        return ""


def open_grid(options):
    grid = Grid()
    grid.reset(seed=options.seed)
    return grid
