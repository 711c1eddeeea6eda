"""Judge success of a MolmoSpaces episode by the conditions of its released tasks.

Source: github.com/allenai/molmospaces (Apache-2.0), `molmo_spaces/tasks`: `pick_task`, `pick_and_place_task`,
`opening_tasks`, `nav_task`. Differences: an object that Homie's gripper holds counts as touched by the robot, and one
that Homie's own state has in or on the receptacle counts as supported by it.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from homie.envs.mujoco.mjcf_house.episode import EpisodeTask
from homie.envs.mujoco.mjcf_house.file import PREFIX
from homie.envs.mujoco.mjcf_house.names import kind_in
from homie.envs.mujoco.mjcf_house.tree import Tree
from homie.envs.mujoco.robots.joint_servos import PREFIX as ROBOT
from homie.envs.mujoco.world import World
from homie.kernel.errors import BadInput
from homie.kernel.types import Array, quaternion_rotation

LIFTED, NEAR = 0.01, 1.5
"""Default thresholds (m) where an episode sets none: lift height of a picked object, and distance to a reached one."""


class EpisodeJudge:
    """Judges the task of an episode in a running simulation.

    Args:
        task: The task and its success conditions.
        world: The house with its robot.
        level: Height of the floor in the file of the house, m.

    Raises:
        BadInput: The house lacks a body or joint that the task names.
    """

    def __init__(self, task: EpisodeTask, world: World, level: float) -> None:
        self.task, self.world = task, world
        self._model, self._data, self._tree = world.model, world.data, Tree(world.model)
        self._floor = np.array([0.0, 0.0, level])
        robot_joints = (joint for joint in range(self._model.njnt) if self._model.joint(joint).name.startswith(ROBOT))
        self._robot = {int(self._model.body_rootid[self._model.jnt_bodyid[joint]]) for joint in robot_joints}
        self._names = {info.body: name for name, info in world.objects.items()}
        self._judge = {
            "PickTask": self._is_picked,
            "PickAndPlaceTask": self._is_placed,
            "OpeningTask": self._is_joint_moved,
            "NavToObjTask": self._base_is_near,
            "DoorOpeningTask": self._is_door_open,
        }[task.name]
        self.done(np.zeros(2))  # raises BadInput for a missing body or joint

    def done(self, base: Array) -> bool:
        """Whether the task is done now, given the position (2,) of the robot's base, m."""
        self._base = base
        return bool(self._judge())

    # ------------------------------------------------------------ tasks

    def _is_picked(self) -> bool:
        """Lifted, and touched by nothing but the robot."""
        task, body = self.task, self._body(self.task.pickup_obj_name)
        assert task.pickup_obj_start_pose is not None
        lift_height = self._data.xpos[body][2] + self._floor[2] - task.pickup_obj_start_pose[2]
        roots = {other for other, _ in self._contacts(body)}
        is_taken = bool(roots & self._robot) or self._is_held(body)
        return is_taken and roots <= self._robot and lift_height >= _default_to(task.succ_pos_threshold, LIFTED)

    def _is_placed(self) -> bool:
        """Released and supported by the receptacle, which was neither moved nor tilted beyond the limits."""
        task = self.task
        assert task.place_receptacle_name is not None and task.place_receptacle_start_pose is not None
        body, place = self._body(task.pickup_obj_name), self._body(task.place_receptacle_name)
        touching = list(self._contacts(body))
        if self._is_held(body) or {other for other, _ in touching} & self._robot:
            return False
        place_bodies = set(self._tree.below(place))
        weight = float(self._model.body_subtreemass[body]) * float(np.linalg.norm(self._model.opt.gravity))
        supported_force = sum(force for other, force in self._contacts(body, place_bodies) if other in place_bodies)
        supported = supported_force >= task.receptacle_supported_weight_frac * weight or self._lies_on(body, place)
        x, y, z, *quaternion = task.place_receptacle_start_pose
        displacement = self._data.xpos[place] + self._floor - np.array([x, y, z])
        rotation = self._data.xmat[place].reshape(3, 3) @ quaternion_rotation(np.array(quaternion)).T
        tilt = float(np.arccos(np.clip(rotation[2, 2], -1.0, 1.0)))
        is_moved = float(np.linalg.norm(displacement)) > task.max_place_receptacle_pos_displacement
        return supported and not is_moved and tilt <= task.max_place_receptacle_rot_displacement

    def _is_joint_moved(self) -> bool:
        """Opened, or shut, by a share of the joint's range; closed is position 0."""
        task = self.task
        shares = [self._share(joint) for name in self._candidates() for joint in self._joints(self._body(name))]
        if not shares:
            raise BadInput(f"The house has no joint of '{task.pickup_obj_name}', which the episode names.")
        if task.task_type == "open":
            return max(shares) >= task.task_success_threshold
        joints = self._joints(self._body(task.pickup_obj_name))
        return 1.0 - self._share(joints[min(task.joint_index, len(joints) - 1)]) >= task.task_success_threshold

    def _base_is_near(self) -> bool:
        """The base is near one of the candidate objects, measured on the floor."""
        at = [self._data.xpos[self._body(name)][:2] for name in self._candidates()]
        distances = [float(np.linalg.norm(place - self._base)) for place in at]
        return min(distances) < _default_to(self.task.succ_pos_threshold, NEAR)

    def _is_door_open(self) -> bool:
        """Open by a share of the range in the episode."""
        task, joints = self.task, self._joints(self._body(self.task.door_body_name))
        if not joints:
            raise BadInput(f"The house has no joint of '{task.door_body_name}', which the episode names.")
        assert task.articulated_joint_range is not None
        low, high = task.articulated_joint_range
        share = (self._position(joints[0]) - low) / (high - low)
        return float(np.clip(share, 0.0, 1.0)) >= task.door_openness_threshold

    # ------------------------------------------------------------ the house

    def _body(self, name: str) -> int:
        number = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_BODY, PREFIX + name)
        if number < 0:
            raise BadInput(f"The house has no body '{name}', which the episode names.")
        return int(number)

    def _candidates(self) -> list[str]:
        """Return the target object, and all of its kind that the episode lists or allows."""
        task, name = self.task, self.task.pickup_obj_name
        kind = kind_in([name], "object")
        matching = [other for other in task.pickup_obj_candidates or () if kind_in([other], "object") == kind]
        if task.any_inst_of_category:
            roots = (self._model.body(body).name for body in self._tree.children[0])
            original_names = (other.removeprefix(PREFIX) for other in roots if other.startswith(PREFIX))
            matching = [
                other for other in original_names if kind_in([other], "furniture") == kind_in([name], "furniture")
            ]
        return [name, *(other for other in matching if other != name)]

    def _joints(self, body: int) -> list[int]:
        kinds = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
        subtree_joints = (joint for other in self._tree.below(body) for joint in self._tree.joints(other))
        return [joint for joint in subtree_joints if int(self._model.jnt_type[joint]) in kinds]

    def _position(self, joint: int) -> float:
        return float(self._data.qpos[self._model.jnt_qposadr[joint]])

    def _share(self, joint: int) -> float:
        low, high = self._model.jnt_range[joint]
        return abs(self._position(joint)) / (high - low) if high > low else 0.0

    def _is_held(self, body: int) -> bool:
        return self.world.held is not None and self._names.get(body) == self.world.held

    def _lies_on(self, body: int, place: int) -> bool:
        """Whether Homie's own state has `body` in or on `place`, or on furniture that `place` is a body of."""
        name = self._names.get(body)
        if name is None:
            return False
        subtree = set(self._tree.below(place))
        holders = {position.entity for position in self.world.around(name)}
        things = {entity for entity in holders if entity in self.world.objects}
        if {self.world.objects[entity].body for entity in things} & subtree:
            return True
        geoms = {geom for other in subtree for geom in self._tree.geoms(other)}
        owners = {self.world.home.index.geoms[geom].entity for geom in geoms if geom in self.world.home.index.geoms}
        return bool((holders - things) & owners)

    def _contacts(self, body: int, own_bodies: set[int] | None = None) -> Iterator[tuple[int, float]]:
        """Yield the bodies in contact with `body`, each as its root, or as itself if it is one of `own_bodies`; and the
        upward force (N) with which each supports it."""
        root, force = int(self._model.body_rootid[body]), np.zeros(6)
        for number in range(self._data.ncon):
            contact = self._data.contact[number]
            first, second = (int(self._model.geom_bodyid[geom]) for geom in contact.geom)
            is_own = [int(self._model.body_rootid[geom_body]) == root for geom_body in (first, second)]
            if is_own[0] == is_own[1]:
                continue
            other = second if is_own[0] else first
            mujoco.mj_contactForce(self._model, self._data, number, force)
            contact_force: Array = contact.frame.reshape(3, 3).T @ force[:3]
            known = other if own_bodies and other in own_bodies else int(self._model.body_rootid[other])
            yield known, float(contact_force[2]) * (-1.0 if is_own[0] else 1.0)


def _default_to(value: float | None, default: float) -> float:
    return default if value is None else value
