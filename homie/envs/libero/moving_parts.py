"""Articulations of LIBERO's furniture for skills: doors, drawers and knobs, with handles found by geometry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import Extents
from homie.kernel.types import Array, Articulation, Solid

UP = np.array([0.0, 0.0, 1.0])
LEVEL = 0.5
"""Maximum absolute z component of a level axis."""


class MovingPart:
    """A door or a drawer of a fixture; joint position 0 is shut.

    Args:
        model: The compiled world.
        joint: Id of its hinge or slide joint.
    """

    def __init__(self, model: mujoco.MjModel, joint: int) -> None:
        self._model, self._joint = model, joint
        self.body = int(model.jnt_bodyid[joint])
        slides = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE
        self.kind: Literal["slide", "hinge"] = "slide" if slides else "hinge"
        low, high = (float(value) for value in model.jnt_range[joint])
        self._direction = 1.0 if abs(high) > abs(low) else -1.0
        self.range = max(abs(low), abs(high))

    def opening(self, data: mujoco.MjData) -> float:
        """Return the opening, rad or m."""
        return abs(float(data.qpos[self._model.jnt_qposadr[self._joint]]))

    def articulation(self, data: mujoco.MjData, extents: Extents) -> Articulation:
        """Return its axis and handle. The handle is the solid that protrudes furthest to the front."""
        solids = extents.body_parts(data, self.body)
        axis: Array = self._direction * np.array(data.xaxis[self._joint])
        anchor = np.array(data.xanchor[self._joint])
        outward = axis if self.kind == "slide" else _front(solids, anchor, axis)
        handle = solids[int(np.argmax([solid.reach(outward[None])[0] for solid in solids]))]
        panel = max(range(len(solids)), key=lambda number: solids[number].shown(outward))
        return Articulation(
            kind=self.kind,
            axis_point=anchor,
            axis=axis,
            handle=handle.pose.position,
            handle_axis=handle.pose.rotation[:, int(np.argmax(handle.half))],
            outward=outward,
            opening=self.opening(data),
            range=self.range,
            panel=extents.geom_boxes(data, [extents.solid_geoms(self.body)[panel]])[0],
        )


def _front(solids: Sequence[Solid], anchor: Array, axis: Array) -> Array:
    """Return the outward normal (3,) of a door's panel: a positive angle moves its free edge in this direction."""
    panel = max(solids, key=lambda solid: max(solid.shown(side) for side in solid.pose.rotation.T))
    panel_normal = np.cross(axis, panel.pose.position - anchor)
    sides = panel.pose.rotation.T
    normal: Array = sides[int(np.argmax(np.abs(sides @ panel_normal)))]
    return normal if normal @ panel_normal > 0.0 else -normal


class Knob(MovingPart):
    """The upright knob of a stove, turned by its ridge."""

    def articulation(self, data: mujoco.MjData, extents: Extents) -> Articulation:
        """Return its axis and, as the handle, its ridge: the highest solid, across the axis."""
        solids = extents.body_parts(data, self.body)
        axis: Array = self._direction * np.array(data.xaxis[self._joint])
        anchor = np.array(data.xanchor[self._joint])
        ridge = max(solids, key=lambda solid: float(solid.reach(UP[None])[0]))
        level = ridge.pose.rotation * (np.abs(ridge.pose.rotation[2]) < LEVEL)
        ridge_axis: Array = level[:, int(np.argmax(ridge.half * np.linalg.norm(level, axis=0)))]
        return Articulation(
            kind=self.kind,
            axis_point=anchor,
            axis=axis,
            handle=np.array([*anchor[:2], ridge.pose.position[2]]),
            handle_axis=ridge_axis,
            outward=np.cross(UP, ridge_axis),
            opening=self.opening(data),
            range=self.range,
        )


def moving_parts(model: mujoco.MjModel, env: Any) -> dict[str, MovingPart]:
    """Return doors by the name of their furniture, such as a microwave, and drawers by their regions.

    Args:
        env: LIBERO's environment.
    """
    sites = env.object_sites_dict
    joints = {name: site.joints[0] for name, site in sites.items() if site.joints}
    furnished = {sites[name].parent_name for name in joints}
    for name, fixture in env.fixtures_dict.items():
        if fixture.joints and name not in furnished and not _is_switched(env, name):
            joints[name] = fixture.joints[0]
    return {name: MovingPart(model, model.joint(joint).id) for name, joint in joints.items()}


def knobs(model: mujoco.MjModel, env: Any) -> dict[str, Knob]:
    """Return knobs by the name of the furniture that they turn on and off."""
    switched = {name: fixture for name, fixture in env.fixtures_dict.items() if _is_switched(env, name)}
    return {name: Knob(model, model.joint(fixture.joints[0]).id) for name, fixture in switched.items()}


def _is_switched(env: Any, name: str) -> bool:
    return bool(getattr(env.object_states_dict[name], "has_turnon_affordance", False))
