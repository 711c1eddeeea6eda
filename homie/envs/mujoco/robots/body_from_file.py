"""Build a body from an MJCF robot and a file of amendments (`--robot-option body=FILE.yaml`).

The model keeps its bodies, geoms and the joints that the file names; all other joints are removed. Its actuators,
tendons, equalities, sensors and keyframes are replaced by Homie's servos and the coupling of the fingers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import quat_of, rotation_of
from homie.envs.mujoco.house.contacts import PAD_SOLIMP, SOLIMP, SOLREF
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.body_file import (
    NODDING,
    SLIDING,
    TURNING,
    Amendments,
    Camera,
    Finger,
    Frame,
    Posture,
    Servo,
    read_amendments,
)
from homie.envs.mujoco.robots.grasping import Hand
from homie.envs.mujoco.robots.mjcf import RobotFile
from homie.kernel.errors import BadInput, did_you_mean, suggestion
from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.robot.reach import Fingers, Reach
from homie.kernel.types import Array

TOUCHES, DRAWN, HIDDEN = (2, 1), 2, 3
"""Contype and conaffinity of collision geoms, and geom groups that are rendered and not rendered."""
PADS, FINGERS = ("right_pad", "left_pad"), ("right_finger", "left_finger")
FINGER = Servo(kp=10000.0, force=60.0, armature=3.0)
DAMPING = 350.0
"""Damping of the fingers, N s/m: much damping on little inertia makes a grip chatter."""
SIDEWAYS = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Rotation of a MuJoCo camera, which views along -z with y up, so that it views along x with z up."""


class AmendedFile(RobotFile):
    """An MJCF file with amendments applied.

    Raises:
        BadInput: As `RobotFile`, and for names that the file lacks.
    """

    def __init__(self, path: Path, amendments: Amendments) -> None:
        self._amendments = amendments
        super().__init__(path)

    def spec(self) -> mujoco.MjSpec:
        return _SpecAmender(super().spec(), self.path, self._amendments).amended()


class _SpecAmender:
    """Applies amendments to one spec."""

    def __init__(self, spec: mujoco.MjSpec, path: Path, amendments: Amendments) -> None:
        self.spec, self.path, self.amendments = spec, path, amendments

    def amended(self) -> mujoco.MjSpec:
        spec, base = self.spec, self.amendments.base
        for element in (*spec.keys, *spec.actuators, *spec.sensors, *spec.equalities, *spec.tendons):
            spec.delete(element)
        root = self._body(base.body)
        if root.parent != spec.worldbody:
            raise BadInput(
                f"The body '{base.body}' of {self.path} is not its root: name the one that all else hangs on."
            )
        root.pos, root.quat = [0.0, 0.0, base.height], [1.0, 0.0, 0.0, 0.0]
        self._choose_joints()
        self._choose_contacts()
        for body in spec.bodies[1:]:
            body.gravcomp = 1.0
        for group in self.amendments.groups.values():
            for joint in group.joints:
                self._servo(joint, group.servo or (NODDING if group.kind == "head" else None))
        gripper = self.amendments.gripper
        for name, pad, finger in zip(FINGERS, PADS, (gripper.right, gripper.left), strict=True):
            self._finger(name, pad, finger)
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT, name1=FINGERS[0], name2=FINGERS[1]
        )
        self._site(gripper.frame)
        for name, camera in self.amendments.cameras.items():
            self._camera(name, camera)
        return spec

    def _body(self, name: str) -> mujoco.MjsBody:
        body = self.spec.body(name)
        if body is None:
            hint = did_you_mean(name, [other.name for other in self.spec.bodies]) or "."
            raise BadInput(f"The robot {self.path} has no body '{name}', which its amendments name{hint}")
        return body

    # ------------------------------------------------------------ joints

    def _choose_joints(self) -> None:
        """Delete joints that no group names, add new ones, and set the speeds of those that groups name."""
        speeds, joints = self.amendments.speeds, [joint.name for joint in self.spec.joints]
        for joint in list(self.spec.joints):
            if joint.name not in speeds:
                self.spec.delete(joint)
        for name, new in self.amendments.added_joints.items():
            joint = self._body(new.body).add_joint(
                name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=new.axis, pos=new.pos, range=self._angles(new.range)
            )
            joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        for name, speed in speeds.items():
            joint = self.spec.joint(name)
            if joint is None:
                hint = did_you_mean(name, joints) or "."
                raise BadInput(f"The robot {self.path} has no joint '{name}', which its amendments name{hint}")
            joint.userdata = [speed]

    def _angles(self, radians: tuple[float, float]) -> list[float]:
        """Convert angles to the unit of the file."""
        return np.degrees(radians).tolist() if self.spec.compiler.degree else list(radians)

    def _servo(self, name: str, amended: Servo | None) -> None:
        joint = self.spec.joint(name)
        slides = joint.type == mujoco.mjtJoint.mjJNT_SLIDE
        servo = amended or (SLIDING if slides else TURNING)
        joint.armature = servo.armature
        self._actuate(name, servo.force).set_to_position(kp=servo.kp, dampratio=1.0)

    def _actuate(self, joint: str, force: float) -> mujoco.MjsActuator:
        return self.spec.add_actuator(
            name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT, forcerange=[-force, force]
        )

    def _finger(self, name: str, pad: str, finger: Finger) -> None:
        gripper, body = self.amendments.gripper, self._body(finger.body)
        body.add_joint(
            name=name,
            type=mujoco.mjtJoint.mjJNT_SLIDE,
            axis=finger.opens,
            range=[0.0, finger.travel],
            limited=mujoco.mjtLimited.mjLIMITED_TRUE,
            armature=FINGER.armature,
            damping=DAMPING,
            userdata=[gripper.speed],
        )
        servo = self._actuate(name, gripper.force)
        servo.ctrlrange = [0.0, finger.travel]
        servo.set_to_position(kp=FINGER.kp)
        geom = body.add_geom(name=pad, type=mujoco.mjtGeom.mjGEOM_BOX, size=finger.pad, pos=finger.pad_pos, mass=0.0)
        _touch(geom)
        geom.condim, geom.friction, geom.priority = 4, [2.0, 0.02, 0.0001], 2
        geom.solimp[:5] = PAD_SOLIMP

    # ------------------------------------------------------------ shapes, frames

    def _choose_contacts(self) -> None:
        """Set the contact parameters of collision geoms; all others are visual. Pads replace the fingers' geoms."""
        chosen, gripper = self.amendments.touching, self.amendments.gripper
        excluded = {self._body(name).name for name in (*chosen.without, gripper.right.body, gripper.left.body)}
        has_touching = False
        for geom in self.spec.geoms:
            touches = geom.group in chosen.groups or geom.classname.name in chosen.classes
            has_touching |= touches
            if touches and geom.parent.name not in excluded:
                _touch(geom)
            else:
                geom.contype = geom.conaffinity = 0
                geom.group = HIDDEN if touches else DRAWN
        if not has_touching:
            raise BadInput(f"Nothing of the robot {self.path} touches: name its classes or groups under 'touching'.")

    def _site(self, frame: Frame) -> None:
        self._body(frame.body).add_site(name="gripper", pos=frame.pos, quat=list(quat_of(_axes(frame))))

    def _camera(self, name: str, camera: Camera) -> None:
        if (old := self.spec.camera(name)) is not None:
            self.spec.delete(old)
        quat = list(quat_of(_axes(camera) @ SIDEWAYS))
        self._body(camera.body).add_camera(name=name, pos=camera.pos, quat=quat, fovy=camera.fovy)


def _touch(geom: mujoco.MjsGeom) -> None:
    geom.contype, geom.conaffinity = TOUCHES
    geom.group, geom.solref = HIDDEN, SOLREF
    geom.solimp[:5] = SOLIMP


def _axes(frame: Frame) -> Array:
    """Return the axes (3, 3) of a frame, as columns in the body frame."""
    if frame.xyaxes is None:
        return rotation_of(np.radians(frame.yaw), np.radians(frame.down), 0.0)
    x = np.array(frame.xyaxes[:3]) / np.linalg.norm(frame.xyaxes[:3])
    y = np.array(frame.xyaxes[3:]) - x * (x @ frame.xyaxes[3:])
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


ShapeT = TypeVar("ShapeT", Reach, Fingers)


def _shape(kind: type[ShapeT], values: Mapping[str, Any], path: Path) -> ShapeT:
    field_names = {field.name for field in dataclasses.fields(kind)}
    if unknown := sorted(set(values) - field_names):
        hint = suggestion(unknown[0], field_names, f"choose one of {', '.join(sorted(field_names))}.")
        raise BadInput(f"{path}: '{unknown[0]}' is not known here: {hint}")
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return kind(**fields)


def amended_body(path: Path) -> SimulatedBody:
    """Build the body of a file of amendments.

    Raises:
        BadInput: A file cannot be read, or names an element that the MJCF file lacks.
    """
    amendments = read_amendments(path)
    file = AmendedFile(path.parent / amendments.mjcf, amendments)
    base, gripper = amendments.base, amendments.gripper
    limbs = {name: file.group(name, group.kind, *group.joints) for name, group in amendments.groups.items()}
    drive = Group.base(
        linear=base.linear,
        angular=base.angular,
        linear_acceleration=base.linear_acceleration,
        angular_acceleration=base.angular_acceleration,
        sideways=base.sideways,
    )
    driving = () if base.fixed else (drive,)
    chained = [group for group in limbs.values() if group.kind != "head"]

    def posture(name: Posture) -> dict[str, list[float]]:
        values = amendments.postures[name]
        if unknown := sorted(set(values) - set(amendments.speeds)):
            hint = did_you_mean(unknown[0], amendments.speeds) or "."
            raise BadInput(f"{path}: the posture '{name}' has the joint '{unknown[0]}', which is in no group{hint}")
        return {group.name: [values.get(joint, 0.0) for joint in group.names] for group in chained}

    spec = RobotSpec(
        name=amendments.name,
        groups=(*driving, *limbs.values(), file.gripper(*FINGERS)),
        period=0.04,
        footprint_radius=amendments.footprint_radius,
        eye=amendments.eye,
        rest=posture("rest"),
        carry=posture("carry"),
        ready=(posture("ready"),),
        reach=_shape(Reach, amendments.reach, path),
        fingers=_shape(Fingers, amendments.hand, path),
    )
    start = {name: amendments.postures["rest"].get(name, 0.0) for name in amendments.speeds}
    return SimulatedBody.of_mjcf(file, spec, Hand(gripper.body, base.body, PADS, FINGERS), start=start)
