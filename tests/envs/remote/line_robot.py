"""A robot to be served, from any Python: it drives along a line, and closes its gripper on a ball.

    x = 0        1        2        3        4
    robot -->               ball            box

The argument makes trouble at the n-th step: `kill@7`, `hang@7`, `slow@7`, `fault@7`, `refuse@7`, `bug@7`, `nonsense@7`.
With `kill,hang@7@FILE` the first server has the first trouble, the next one the second, and others have none: FILE
counts them. `live` lets the time of the robot go on by itself.
"""

from __future__ import annotations

import os
import signal
import time

import numpy as np

from robot_server import Fault, Refused, WrongInput

PERIOD, REACH = 0.1, 0.5
TROUBLE = ("kill", "hang", "slow", "fault", "refuse", "bug", "nonsense")


def joint(name, lower, upper, speed, acceleration=float("inf")):
    return {"name": name, "lower": lower, "upper": upper, "speed": speed, "acceleration": acceleration}


class LineRobot:
    def __init__(self, argument=""):
        troubles, _, rest = argument.partition("@")
        when, _, counter = rest.partition("@")
        self.trouble = troubles
        if counter:
            with open(counter, "a+") as file:
                file.write("served\n")
                file.seek(0)
                number = len(file.readlines()) - 1
            listed = troubles.split(",")
            self.trouble = listed[number] if number < len(listed) else ""
        if self.trouble not in ("", "live", *TROUBLE):
            raise WrongInput(f"There is no trouble '{self.trouble}'.")
        self.when = int(when or 0)
        base = [joint("linear", -1.0, 1.0, 1.0, 2.0), joint("angular", -2.0, 2.0, 2.0, 4.0)]
        self.spec = {
            "name": "line",
            "period": PERIOD,
            "groups": [
                {"name": "base", "kind": "base", "joints": base},
                {"name": "gripper", "kind": "gripper", "joints": [joint("gripper_opening", 0.0, 0.1, 2.0)]},
            ],
            "views": ["front", "wrist"],
            "waits": argument != "live",
        }
        self.steps = 0
        self.reset(0)

    def reset(self, seed):
        self.stamp, self.x, self.speed, self.opening, self.holding = 0.0, 0.0, 0.0, 0.1, False
        self.ball = 2.5 - 0.1 * seed

    def step(self, targets):
        self.steps += 1
        if self.steps == self.when:
            self.make_trouble()
        self.stamp += PERIOD
        self.speed = targets.get("base", (0.0, 0.0))[0]
        self.x += self.speed * PERIOD
        if "gripper" in targets:
            self.opening = targets["gripper"][0]
            self.holding = self.opening < 0.05 and (self.holding or abs(self.ball - self.x) <= REACH)
        if self.holding:
            self.ball = self.x

    def make_trouble(self):
        if self.trouble == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.trouble == "hang":
            time.sleep(1000.0)
        elif self.trouble == "slow":
            time.sleep(1.5)
        elif self.trouble == "fault":
            raise Fault("The motor is hot.")
        elif self.trouble == "refuse":
            raise Refused("The way is blocked.")
        elif self.trouble == "bug":
            raise KeyError("gear")
        elif self.trouble == "nonsense":
            self.measured = lambda: {"stamp": object()}

    def halt(self):
        self.speed = 0.0

    def measured(self):
        gripper = {"opening": self.opening, "contact": [self.holding, self.holding], "holding": self.holding}
        return {
            "stamp": self.stamp,
            "base": [self.x, 0.0, 0.0],
            "base_velocity": [self.speed, 0.0],
            "grippers": {"gripper": gripper},
        }

    def picture(self, camera):
        rgb = np.zeros((64, 64, 3), np.uint8)
        rgb[:, :, 1] = np.arange(64)
        rgb[:, :, 2] = 255 if camera == "wrist" else 0
        return {
            "rgb": rgb,
            "depth": np.full((64, 64), 9.0 - self.x, np.float32),
            "intrinsics": [32.0, 32.0, 32.0, 32.0],
            "position": np.zeros(3),
            "rotation": np.eye(3),
            "instances": np.full((64, 64), -1, np.int32),
            "instance_names": ["ball"],
        }

    def snapshot(self):
        relation, at = ("held", "robot") if self.holding else ("on", "floor")
        if not self.holding and abs(self.ball - 4.0) <= REACH:
            relation, at = "in", "box"
        ball = {"kind": "ball", "relation": relation, "at": at, "position": [self.ball, 0.0, 0.1], "half": [0.1] * 3}
        box = {"kind": "box", "position": [4.0, 0.0, 0.1], "half": [0.2, 0.2, 0.1], "receives": "in"}
        return {
            "objects": {"ball": ball},
            "fixed": {"box": box, "floor": {"kind": "floor"}},
            "held": "ball" if self.holding else None,
            "robot": {"x": self.x, "y": 0.0, "yaw": 0.0},
        }

    def close(self):
        pass
