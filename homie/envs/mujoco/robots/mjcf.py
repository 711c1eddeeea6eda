"""A robot's MJCF file: what it says is read from it, and the robot put from it into worlds.

The file opens in MuJoCo's own viewer (`python -m mujoco.viewer --mjcf=FILE`) and stands for the robot alone: one root
body at the origin, without joints of a base. Angles of joints are in radians. `user` of a joint is its largest speed
(rad/s, m/s), for which MJCF has no word; a keyframe is a posture. docs/robots.md has all that the home asks of a file.
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
        path: Where it is.
        model: The robot alone, compiled.

    Raises:
        BadInput: The file is not there, or MuJoCo cannot compile it.

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
        """What is compiled, alone and in worlds; a new one every time."""
        return mujoco.MjSpec.from_file(str(self.path))

    # ------------------------------------------------------------ what stands in it

    def joint(self, name: str) -> Joint:
        """A joint with its limits and speed.

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
        """A group of its joints. Raises BadInput as `joint`."""
        return Group(name, kind, tuple(self.joint(joint) for joint in joints))

    def gripper(self, *fingers: str, name: str = "gripper") -> Group:
        """A gripper of fingers that slide apart from 0: they open and move together. Raises BadInput as `joint`."""
        joints = [self.joint(finger) for finger in fingers]
        return Group.gripper(
            opening=sum(joint.upper for joint in joints), speed=sum(joint.speed for joint in joints), name=name
        )

    def keyframe(self, name: str) -> dict[str, float]:
        """A posture by joint, rad or m. Raises BadInput for one that is not there."""
        self.require(mujoco.mjtObj.mjOBJ_KEY, "keyframe", name)
        qpos = self.model.key(name).qpos
        return {self.model.joint(number).name: float(qpos[number]) for number in range(self.model.njnt)}

    def posture(self, keyframe: str, *groups: Group) -> Posture:
        """A posture of some groups. Raises BadInput for one that is not there."""
        positions = self.keyframe(keyframe)
        return {group.name: [positions[name] for name in group.names] for group in groups}

    def origin(self, body: str) -> Array:
        """Origin (3,) of a body in the frame of its parent, m: where its joint is."""
        return np.array(self.model.body(body).pos)

    def turn(self, body: str, axis: Literal["x", "y", "z"]) -> float:
        """Angle (rad) by which a body is turned about an axis of its parent, for one that is turned about no other."""
        quat = self.model.body(body).quat
        return float(2.0 * np.arctan2(quat[1 + "xyz".index(axis)], quat[0]))

    def servo_lead(self, joint: str) -> float:
        """Metres or radians ahead of a joint at which its servo pushes with all its force; inf without a limit."""
        servo = self.model.actuator(joint)
        return float(servo.forcerange[1] / servo.gainprm[0]) if servo.forcelimited[0] else math.inf

    def require(self, kind: mujoco.mjtObj, word: str, name: str) -> None:
        """Raises BadInput if the file has nothing of a kind with this name; `word` is the kind's."""
        if mujoco.mj_name2id(self.model, kind, name) < 0:
            raise BadInput(f"The robot {self.path} has no {word} '{name}', which its description names.")

    # ------------------------------------------------------------ in a world

    def add(self, world: mujoco.MjSpec, pos: Vec3 = (0.0, 0.0, 0.0), yaw: float = 0.0, *, drive: str = "") -> None:
        """Put the robot into a world, every name with `robot/` before it; all joints are at 0.

        Args:
            world: To be compiled with `implicitfast` and a time step of up to 5 ms.
            pos: Of its root body, m.
            yaw: Its heading, rad.
            drive: The body that gets the joints and servos of a base, "" for a robot that stands.
        """
        robot = self.spec()
        robot.option = world.option  # which holds for both; MuJoCo warns of every difference
        for keyframe in list(robot.keys):  # they are of the robot alone, a world has more joints
            robot.delete(keyframe)
        if drive:
            add_base_servos(world)
        turn = [math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)]
        world.attach(robot, prefix=PREFIX, frame=world.worldbody.add_frame(pos=list(pos), quat=turn))
        if drive:
            add_base_joints(world, world.body(PREFIX + drive), pos, yaw)
