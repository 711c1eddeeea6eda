"""A robot's MJCF file: read its joints and postures, and add the robot to worlds.

The file opens in MuJoCo's own viewer (`python -m mujoco.viewer --mjcf=FILE`) and contains the robot alone: one root
body at the origin, without joints of a base. Joint angles are in radians. `user` of a joint is its speed limit (rad/s,
m/s), which MJCF lacks; a keyframe is a posture. docs/robots.md lists all requirements on a file.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.robots.drive import add_base_joints, add_base_servos
from homie.envs.mujoco.robots.joint_servos import PREFIX
from homie.kernel.errors import BadInput
from homie.kernel.robot.body import Group, Joint, Kind, Posture
from homie.kernel.types import Array


class RobotFile:
    """An MJCF file of a robot.

    Attributes:
        path: Path of the file.
        model: The compiled model of the robot alone.

    Raises:
        BadInput: The file is missing, or MuJoCo cannot compile it.

    Example:
        ```
        FILE = RobotFile(Path(__file__).with_name("cart.xml"))
        ARM = FILE.group("arm", "arm", "pan", "lift", "elbow")
        ```
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.model = self.spec().compile()
        except ValueError as error:
            raise BadInput(f"Cannot read the robot {path}: {str(error).strip()}") from error

    def spec(self) -> mujoco.MjSpec:
        """Return a new spec of the robot, to be compiled alone or attached to a world."""
        return mujoco.MjSpec.from_file(str(self.path))

    # ------------------------------------------------------------ contents

    def joint(self, name: str) -> Joint:
        """Return a joint with its limits and speed.

        Raises:
            BadInput: There is no such joint, or it has no speed.
        """
        self.require(mujoco.mjtObj.mjOBJ_JOINT, "joint", name)
        joint = self.model.joint(name)
        speed = float(joint.user[0]) if self.model.nuser_jnt else 0.0
        if not speed > 0.0:
            robot_text = f"The robot {self.path}"
            raise BadInput(
                f"{robot_text} says no speed of the joint '{name}': give it one, as user=\"1.5\" (rad/s, m/s)."
            )
        lower, upper = joint.range.tolist() if self.model.jnt_limited[joint.id] else (-math.inf, math.inf)
        return Joint(name, lower, upper, speed, slides=int(joint.type[0]) == mujoco.mjtJoint.mjJNT_SLIDE)

    def group(self, name: str, kind: Kind, *joints: str) -> Group:
        """Return a group of joints. Raises BadInput as `joint`."""
        return Group(name, kind, tuple(self.joint(joint) for joint in joints))

    def gripper(self, *fingers: str, name: str = "gripper") -> Group:
        """Return a gripper of coupled sliding fingers that are closed at 0. Raises BadInput as `joint`."""
        joints = [self.joint(finger) for finger in fingers]
        return Group.gripper(
            opening=sum(joint.upper for joint in joints), speed=sum(joint.speed for joint in joints), name=name
        )

    def keyframe(self, name: str) -> dict[str, float]:
        """Return the joint positions of a keyframe by name, rad or m. Raises BadInput if it does not exist."""
        self.require(mujoco.mjtObj.mjOBJ_KEY, "keyframe", name)
        qpos = self.model.key(name).qpos
        return {self.model.joint(number).name: float(qpos[number]) for number in range(self.model.njnt)}

    def posture(self, keyframe: str, *groups: Group) -> Posture:
        """Return the posture of some groups in a keyframe. Raises BadInput if it does not exist."""
        positions = self.keyframe(keyframe)
        return {group.name: [positions[name] for name in group.names] for group in groups}

    def origin(self, body: str) -> Array:
        """Return the origin (3,) of a body, where its joint is, in the frame of its parent, m."""
        return np.array(self.model.body(body).pos)

    def turn(self, body: str, axis: Literal["x", "y", "z"]) -> float:
        """Return the angle (rad) of a body's rotation about an axis of its parent, its only rotation."""
        quat = self.model.body(body).quat
        return float(2.0 * np.arctan2(quat[1 + "xyz".index(axis)], quat[0]))

    def servo_lead(self, joint: str) -> float:
        """Return the position error (m or rad) at which a joint's servo saturates; inf without a force limit."""
        servo = self.model.actuator(joint)
        return float(servo.forcerange[1] / servo.gainprm[0]) if servo.forcelimited[0] else math.inf

    def require(self, kind: mujoco.mjtObj, word: str, name: str) -> None:
        """Raise BadInput if the file has no element of this kind and name; `word` names the kind."""
        if mujoco.mj_name2id(self.model, kind, name) < 0:
            raise BadInput(f"The robot {self.path} has no {word} '{name}', which its description names.")

    # ------------------------------------------------------------ in a world

    def add(self, world: mujoco.MjSpec, pos: Vec3 = (0.0, 0.0, 0.0), yaw: float = 0.0, *, drive: str = "") -> None:
        """Add the robot to a world, with the prefix `robot/` on every name; all joints are at 0.

        Args:
            world: Spec to be compiled with `implicitfast` and a time step of up to 5 ms.
            pos: Position of the root body, m.
            yaw: Heading of the root body, rad.
            drive: The body that gets the joints and servos of a base, "" for a fixed robot.
        """
        robot = self.spec()
        robot.option = world.option  # MuJoCo keeps one set of options and warns of every difference
        for keyframe in list(robot.keys):  # sized for the robot alone; a world has more joints
            robot.delete(keyframe)
        if drive:
            add_base_servos(world)
        turn = [math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)]
        world.attach(robot, prefix=PREFIX, frame=world.worldbody.add_frame(pos=list(pos), quat=turn))
        if drive:
            add_base_joints(world, world.body(PREFIX + drive), pos, yaw)
