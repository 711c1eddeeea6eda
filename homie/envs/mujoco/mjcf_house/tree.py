"""The body tree of a model: which bodies move together, which are free, and which are driven by actuators."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco

from homie.envs.mujoco.blueprints.extents import carriers


class Tree:
    """The body tree of a model.

    Attributes:
        model: The compiled model.
        children: The bodies directly under each body.
        carrier (bodies,): As returned by `homie.envs.mujoco.blueprints.extents.carriers`.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = model
        self.children: list[list[int]] = [[] for _ in range(model.nbody)]
        for body in range(1, model.nbody):
            self.children[int(model.body_parentid[body])].append(body)
        self.carrier = carriers(model)

    def below(self, body: int) -> Iterator[int]:
        """Yield a body and all its descendants, parents first."""
        yield body
        for child in self.children[body]:
            yield from self.below(child)

    def joints(self, body: int) -> range:
        """Return the joints of a body."""
        first, count = int(self.model.body_jntadr[body]), int(self.model.body_jntnum[body])
        return range(first, first + count) if count else range(0)

    def geoms(self, body: int) -> range:
        """Return the geoms of a body, without those of its descendants."""
        first, count = int(self.model.body_geomadr[body]), int(self.model.body_geomnum[body])
        return range(first, first + count) if count else range(0)

    def moved(self, body: int) -> list[int]:
        """Return the geoms of a body and of the descendants welded to it."""
        return [geom for other in self.below(body) if self.carrier[other] == body for geom in self.geoms(other)]

    def solid(self, geom: int) -> bool:
        """Whether a geom can collide."""
        return bool(self.model.geom_contype[geom] or self.model.geom_conaffinity[geom])

    def is_free(self, body: int) -> bool:
        """Whether a body has a free joint."""
        return any(self.model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE for joint in self.joints(body))

    def free_above(self, body: int) -> bool:
        """Whether a body or one of its ancestors is free."""
        while body:
            if self.is_free(body):
                return True
            body = int(self.model.body_parentid[body])
        return False

    def robots(self) -> list[int]:
        """Return the root bodies of the robots in the file: above each actuated joint, the highest body with at least
        half of the joints in its subtree actuated."""
        driven = self._driven_joints()
        roots: list[int] = []
        for body in sorted({int(self.model.jnt_bodyid[joint]) for joint in driven}):
            root = body
            while (parent := int(self.model.body_parentid[root])) and self._is_mostly_driven(parent, driven):
                root = parent
            if root not in roots:
                roots.append(root)
        return [root for root in roots if not any(root in set(self.below(other)) - {other} for other in roots)]

    def _is_mostly_driven(self, body: int, driven: set[int]) -> bool:
        joints = [joint for other in self.below(body) for joint in self.joints(other)]
        return 2 * len(driven.intersection(joints)) >= len(joints)

    def _driven_joints(self) -> set[int]:
        """Return the joints that actuators drive, directly or by tendons."""
        model, driven = self.model, set()
        for number in range(model.nu):
            kind, target = int(model.actuator_trntype[number]), int(model.actuator_trnid[number, 0])
            if kind in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT):
                driven.add(target)
            elif kind == mujoco.mjtTrn.mjTRN_TENDON:
                first, count = int(model.tendon_adr[target]), int(model.tendon_num[target])
                wraps = range(first, first + count)
                driven.update(
                    int(model.wrap_objid[wrap])
                    for wrap in wraps
                    if model.wrap_type[wrap] == mujoco.mjtWrap.mjWRAP_JOINT
                )
        return driven
