"""The Panda of robosuite as a served robot: its own joint position controller, its own verdict.

Source: Y. Zhu et al., "robosuite: A Modular Simulation Framework and Benchmark for Robot Learning" (2020).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robot_server.robot import WrongInput
from robot_server.worlds.mujoco_pictures import Pictures
from robot_server.worlds.robosuite_world import TASKS, RobosuiteWorld

LIMITS = ((-2.89, 2.89), (-1.76, 1.76), (-2.89, 2.89), (-3.07, -0.07), (-2.89, 2.89), (-0.01, 3.75), (-2.89, 2.89))
"""Limits of the joints of the Panda, rad, a little within its own."""
JOINTS = len(LIMITS)
OPENING, PERIOD = 0.08, 0.05
"""Largest opening of the fingers (m), and the control period (s)."""
STIFFNESS = 4000.0
"""Gain of the joint controller (1/s^2), critically damped: joints follow their targets closely."""
CONTROLLER = {
    "type": "JOINT_POSITION",
    "input_type": "absolute",
    "input_max": 4.0,
    "input_min": -4.0,
    "output_max": 4.0,
    "output_min": -4.0,
    "kp": STIFFNESS,
    "kp_limits": [0.0, STIFFNESS],
    "damping_ratio": 1.0,
    "damping_ratio_limits": [0.0, 1.0],
    "impedance_mode": "fixed",
    "qpos_limits": None,
    "interpolation": "linear",
    "ramp_ratio": 1.0,
    "gripper": {"type": "GRIP"},
}
CAMERAS = {"front": "agentview", "wrist": "robot0_eye_in_hand"}
VISIBLE = (1,)
"""Groups of visible geoms: robosuite has collision shapes in group 0 and helpers in 2."""
FINGERS_AT = 0.004
"""Tolerance of the opening of the fingers, m."""
SETTLE = 10
"""Control periods at the start of an episode in which objects come to rest."""
FINGERS = {
    "reach": 0.013,
    "half_height": 0.0105,
    "thickness": 0.018,
    "tip": 0.016,
    "palm_face": 0.038,
    "palm_half": 0.024,
    "palm_width": 0.102,
    "palm_behind": 0.1,
    "thickest": 0.05,
    "room": 0.0015,
    "clearance": 0.002,
}
"""The shape of the Panda's hand, as `homie.kernel.robot.reach.Fingers`."""


class RobosuiteArm:
    """The Panda in a task of robosuite: `robosuite:Stack`."""

    def __init__(self, argument: str) -> None:
        if argument not in TASKS:
            raise WrongInput(f"Which task of robosuite? Give robosuite:TASK, one of {', '.join(TASKS)}.")
        self.task = argument
        self._env: Any = None
        self._pictures: Pictures | None = None
        self._stamp = 0.0
        self._fresh_seed: int | None = None
        """The seed of an episode in which nothing has happened yet."""
        self.reset(0)
        foot = self.world.data.body("robot0_base").xpos
        self._base = [float(foot[0]), float(foot[1]), 0.0]
        self.spec = self._spec(float(foot[2]))

    def _spec(self, height: float) -> Mapping[str, Any]:
        arm = [
            {"name": f"robot0_joint{number}", "lower": low, "upper": high, "speed": 1.2}
            for number, (low, high) in enumerate(LIMITS, 1)
        ]
        hand = [{"name": "gripper_opening", "lower": 0.0, "upper": OPENING, "speed": 0.3}]
        rest = {"arm": [float(value) for value in self._env.robots[0].init_qpos]}
        return {
            "name": "panda of robosuite",
            "period": PERIOD,
            "groups": [
                {"name": "arm", "kind": "arm", "joints": arm},
                {"name": "gripper", "kind": "gripper", "joints": hand},
            ],
            "footprint_radius": 0.12,
            "rest": rest,
            "carry": rest,
            "ready": [rest],
            "fingers": FINGERS,
            "kinematics": {"panda": {"height": height}},
            "views": ["front"],
            "hand": "wrist",
            "video": "front",
            "actions": ["Pick", "Put", "End"],
            "waits": True,
        }

    # ------------------------------------------------------------ episode

    def reset(self, seed: int) -> None:
        import robosuite
        from robosuite.controllers import load_composite_controller_config

        if seed == self._fresh_seed:
            return  # opened a moment ago: creating it takes seconds
        self.close()
        logging.getLogger("robosuite_logs").setLevel(logging.ERROR)  # it reports its optional parts, and every reset
        config = load_composite_controller_config(robot="Panda")
        self._env = robosuite.make(
            self.task,
            robots="Panda",
            controller_configs={**config, "body_parts": {"right": dict(CONTROLLER)}},
            has_renderer=False,
            has_offscreen_renderer=False,
            use_camera_obs=False,
            use_object_obs=False,
            control_freq=round(1.0 / PERIOD),
            ignore_done=True,
            seed=seed,  # of what is sampled: where things lie, and a little noise of the joints
        )
        self._env.reset()
        self.world = RobosuiteWorld(self._env, self.task)
        self._opening, self._arm = OPENING, self._q()
        for _ in range(SETTLE):
            self.step({})
        self._stamp, self._fresh_seed = 0.0, seed

    def step(self, targets: Mapping[str, Sequence[float]]) -> None:
        if "arm" in targets:
            self._arm = np.array(targets["arm"])
        if "gripper" in targets:
            self._opening = targets["gripper"][0]
        gap = self._fingers() - self._opening
        closing = 1.0 if self._opening < FINGERS_AT else float(np.sign(gap)) * (abs(gap) > FINGERS_AT)
        self._env.step(np.append(self._arm, closing))
        self._fresh_seed = None
        self.world.update()
        self._stamp += PERIOD

    def halt(self) -> None:
        self._arm = self._q()

    def close(self) -> None:
        if self._pictures is not None:
            self._pictures.close()
            self._pictures = None
        if self._env is not None:
            self._env.close()
            self._env = None

    # ------------------------------------------------------------ senses

    def _q(self) -> Any:
        return np.array(self._env.sim.data.qpos[:JOINTS])

    def _fingers(self) -> float:
        qpos = self._env.sim.data.qpos
        return float(np.clip(qpos[JOINTS] - qpos[JOINTS + 1], 0.0, OPENING))

    def measured(self) -> Mapping[str, Any]:
        data = self._env.sim.data
        gripper = {
            "opening": self._fingers(),
            "contact": self.world.contact,
            "holding": self.world.held is not None,
            "speed": float(data.qvel[JOINTS] - data.qvel[JOINTS + 1]),
        }
        names = [f"robot0_joint{number}" for number in range(1, JOINTS + 1)]
        return {
            "stamp": self._stamp,
            "base": self._base,
            "joints": dict(zip(names, data.qpos[:JOINTS].tolist())),
            "velocities": dict(zip(names, data.qvel[:JOINTS].tolist())),
            "grippers": {"gripper": gripper},
        }

    def _renderer(self) -> Pictures:
        if self._pictures is None:
            self._pictures = Pictures(self.world.model, self.world.data, VISIBLE)
        return self._pictures

    def picture(self, camera: str) -> Mapping[str, Any]:
        if camera not in CAMERAS:
            raise WrongInput(f"The panda of robosuite has no camera '{camera}': it has {' and '.join(CAMERAS)}.")
        return self._renderer().picture(CAMERAS[camera], self.world.bodies)

    def snapshot(self) -> Mapping[str, Any]:
        return self.world.snapshot()

    def shapes(self) -> Mapping[str, Any]:
        return self.world.shapes()
