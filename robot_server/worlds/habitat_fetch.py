"""The robot of a rearrangement task of Habitat as a served robot: its oracle navigation, its PDDL actions, its goal.

Source: A. Szot et al., "Habitat 2.0: Training Home Assistants to Rearrange their Habitat" (2021). The package is
habitat-lab, over habitat-sim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robot_server.robot import Fault, WrongInput
from robot_server.worlds.habitat_arm import ARM, OPENING, HabitatArm
from robot_server.worlds.habitat_pddl import PddlWorld, upright

NAVIGATE, APPLY, DRIVE = "oracle_nav_action", "pddl_apply_action", "base_velocity"
"""Names of actions in configurations of habitat-lab."""
VERBS = {"Pick": "pick", "Put": "place", "Open": "open", "Close": "close"}
"""Starts of the names of the PDDL actions that carry out an action of Homie."""
STEPS = 1500
"""Most steps of oracle navigation to a target."""
LINEAR, ANGULAR = 10.0, 10.0
"""Speeds of `base_vel` 1 in Habitat's own configurations, m/s and rad/s; the robot uses a fraction of them."""
SPEED, TURN = 1.0, 2.0
CAMERAS = {"front": "head", "wrist": "articulated_agent_arm"}
"""Habitat's cameras by Homie's names: `head_rgb`, `head_depth`, `head_panoptic`."""
PANOPTIC_START = 100
"""Offset of the ids of objects in Habitat's panoptic pictures, where its configuration has none."""


class HabitatFetch:
    """The robot of a configuration of Habitat: `habitat:CONFIG`."""

    def __init__(self, argument: str) -> None:
        if not argument:
            raise WrongInput(
                "Which task of Habitat? Give its configuration, such as"
                " habitat:benchmark/rearrange/multi_task/rearrange_easy.yaml."
            )
        self._env = _open_environment(argument)
        self._steps = 0
        self._arm: HabitatArm | None = None
        self._observations: Mapping[str, Any] = {}
        self.reset(0)
        names = set(self._env.task.actions)
        if APPLY not in names:
            raise WrongInput(f"{argument} has no action {APPLY}: add it under habitat.task.actions.")
        self._navigates, self._drives = NAVIGATE in names, DRIVE in names
        if ARM in names:
            self._arm = HabitatArm(self._env.task.actions[ARM], self._agent, self._period())
        self._cameras = {name: key for name, key in CAMERAS.items() if f"{key}_rgb" in self._observations}
        if "front" not in self._cameras:
            raise WrongInput(f"{argument} has no sensor head_rgb: add head_rgb_sensor to the agent's sensors.")
        self.spec = self._spec()

    def _spec(self) -> Mapping[str, Any]:
        base = [
            {"name": "linear", "lower": -SPEED, "upper": SPEED, "speed": SPEED, "acceleration": 2.0},
            {"name": "angular", "lower": -TURN, "upper": TURN, "speed": TURN, "acceleration": 6.0},
        ]
        hand = [{"name": "gripper_opening", "lower": 0.0, "upper": OPENING, "speed": 0.2}]
        drive = [{"name": "base", "kind": "base", "joints": base}] if self._drives else []
        arm = self._arm.groups() if self._arm else []
        return {
            "name": "robot of habitat",
            "period": self._period(),
            "groups": [*drive, *arm, {"name": "gripper", "kind": "gripper", "joints": hand}],
            **(self._arm.postures() if self._arm else {}),
            "views": ["front"],
            "hand": "wrist" if "wrist" in self._cameras else "",
            "video": "front",
            "actions": ["Go to", *VERBS, "End"],
            "waits": True,
        }

    def _period(self) -> float:
        simulator = self._env.sim.habitat_config
        return float(simulator.get("ac_freq_ratio", 4)) / float(simulator.get("ctrl_freq", 120.0))

    # ------------------------------------------------------------ episode

    def reset(self, seed: int) -> None:
        self._env.seed(seed)
        episodes = self._env.episodes
        self._env.current_episode = episodes[seed % len(episodes)]
        self._observations = self._env.reset()
        self._steps = 0
        self.world = PddlWorld(self._env.task.pddl_problem)
        self._settle()

    def _agent(self) -> Any:
        return self._env.sim.get_agent_data(0).articulated_agent

    def _step(self, *actions: str, **arguments: Any) -> None:
        if self._env.episode_over:
            raise Fault("The episode of Habitat is over: it has taken the most steps that its configuration allows.")
        self._observations = self._env.step({"action": actions, "action_args": arguments})
        self._steps += 1

    def step(self, targets: Mapping[str, Sequence[float]]) -> None:
        arguments: dict[str, Any] = {}
        if self._arm is not None:
            arguments = dict(self._arm.arguments(targets))
        velocity = targets.get("base")
        if velocity is not None and self._drives and any(velocity):
            config = self._env.task.actions[DRIVE]._config
            linear = velocity[0] / float(config.get("lin_speed", LINEAR))
            angular = velocity[1] / float(config.get("ang_speed", ANGULAR))
            arguments["base_vel"] = np.array([linear, angular], dtype=np.float32)
        actions = [name for name, key in ((ARM, ARM), (DRIVE, "base_vel")) if key in arguments]
        if actions:
            self._step(*actions, **arguments)
        else:
            self._steps += 1

    def _settle(self) -> None:
        """Take over the state of arm and hand after actions of Habitat's own."""
        if self._arm is not None:
            self._arm.hold()
            self._arm.grip(self.world.held() is not None)

    def halt(self) -> None:
        """Hold the arm: nothing moves between steps."""
        if self._arm is not None:
            self._arm.hold()

    def close(self) -> None:
        if self._env is not None:
            self._env.close()
            self._env = None

    # ------------------------------------------------------------ whole actions

    def perform(self, action: str, target: str, destination: str, entity: str) -> str:
        """Carry out an action by Habitat's own means; return why it failed, "" if it did not."""
        why = self._execute(action, entity)
        self._settle()
        return why

    def _execute(self, action: str, entity: str) -> str:
        if action == "Go to":
            return self._go_to(entity)
        if action not in VERBS:
            return f"Habitat has no action for {action}."
        things = [self.world.held(), entity] if action == "Put" else [entity]
        if things[0] is None:
            return "The hand is empty."
        chosen = self.world.action(VERBS[action], [str(name) for name in things])
        if chosen is None:
            return f"Habitat's domain has no action to {VERBS[action]} {' at '.join(map(str, things))}."
        self._step(APPLY, pddl_action=chosen.numbers)
        if self._env.task.actions[APPLY].was_prev_action_invalid:
            return f"Habitat refuses {chosen.words}: {chosen.unmet or 'its precondition'} is not so."
        return ""

    def _go_to(self, entity: str) -> str:
        if not self._navigates:
            chosen = self.world.action("nav", [entity])
            if chosen is None:
                return f"Habitat's domain has no action to go to {entity}."
            self._step(APPLY, pddl_action=chosen.numbers)
            return ""
        number = np.array([self.world.number(entity)], dtype=np.float32)
        action = self._env.task.actions[NAVIGATE]
        for _ in range(STEPS):
            self._step(NAVIGATE, oracle_nav_action=number)
            if action.skill_done:
                return ""
        return f"Oracle navigation did not come to {entity} in {STEPS} steps."

    # ------------------------------------------------------------ senses

    def measured(self) -> Mapping[str, Any]:
        holds = self.world.held() is not None
        opening = self._arm.opening if self._arm else OPENING * (not holds)
        x, y, yaw = self.world.base()
        return {
            "stamp": self._steps * self._period(),
            "base": [x, y, yaw],
            "base_velocity": [0.0, 0.0],
            "joints": self._arm.measured() if self._arm else {},
            "velocities": {},
            "grippers": {"gripper": {"opening": opening, "contact": [holds, holds], "holding": holds, "speed": 0.0}},
        }

    def picture(self, camera: str) -> Mapping[str, Any]:
        key = self._cameras[camera]
        rgb = np.ascontiguousarray(self._observations[f"{key}_rgb"][..., :3])
        height, width = rgb.shape[:2]
        depth = self._observations.get(f"{key}_depth")
        panoptic = self._observations.get(f"{key}_panoptic")
        focal = width / 2 / np.tan(np.radians(self._field(key)) / 2)
        position, rotation = self._head_pose() if camera == "front" else self._sensor_pose(key)
        picture = {
            "rgb": rgb,
            "depth": None if depth is None else self._metres(key, depth),
            "intrinsics": [focal, focal, (width - 1) / 2, (height - 1) / 2],
            "position": position,
            "rotation": rotation,
        }
        if panoptic is not None:
            start = int(self._env.sim.habitat_config.get("object_ids_start", PANOPTIC_START))
            names, instances = self.world.instances(np.asarray(panoptic).reshape(height, width) - start)
            picture.update(instances=instances, instance_names=names)
        return picture

    def _sensor(self, key: str, kind: str) -> Mapping[str, Any]:
        """Return the configuration of a sensor, empty if there is none of this name."""
        for agent in self._env.sim.habitat_config.get("agents", {}).values():
            for sensor in agent.get("sim_sensors", {}).values():
                if sensor.get("uuid") == f"{key}_{kind}":
                    return dict(sensor)
        return {}

    def _field(self, key: str) -> float:
        """Return the horizontal field of view, degrees."""
        return float(self._sensor(key, "rgb").get("hfov", 90))

    def _metres(self, key: str, depth: Any) -> Any:
        sensor = self._sensor(key, "depth")
        low, high = float(sensor.get("min_depth", 0.0)), float(sensor.get("max_depth", 10.0))
        scale = high - low if sensor.get("normalize_depth", True) else 1.0
        return np.asarray(depth, dtype=np.float32).reshape(depth.shape[:2]) * scale + (low if scale != 1.0 else 0.0)

    def _head_pose(self) -> tuple[list[float], Any]:
        """Return the pose of the head's camera: its position, and its axes (right, down, ahead) as columns."""
        params = self._agent().params.cameras["head"]
        place = self.world.from_base(params.cam_offset_pos)
        ahead = np.array(self.world.from_base(params.cam_look_at_pos)) - place
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        return place, np.stack([right, np.cross(ahead, right), ahead], axis=1)

    def _sensor_pose(self, key: str) -> tuple[list[float], Any]:
        """Return the same for another camera from the simulator, where cameras have x to the right, y up, and look to
        -z."""
        node = self._env.sim.get_sensor(f"{key}_rgb").sensor_object.node
        pose = node.absolute_transformation()
        axes = [upright(pose.transform_vector(np.array(axis))) for axis in ((1.0, 0, 0), (0, -1.0, 0), (0, 0, -1.0))]
        return upright(pose.transform_point(np.zeros(3))), np.array(axes).T

    def snapshot(self) -> Mapping[str, Any]:
        return self.world.snapshot()


def _open_environment(config: str) -> Any:
    """Open Habitat's environment of a configuration. Raises WrongInput."""
    try:
        import habitat
    except ImportError as error:
        raise WrongInput(
            f"Habitat cannot be imported in this Python ({error}): give one that has habitat-lab and habitat-sim, by"
            " --robot-option python=PATH."
        ) from error
    try:
        settings = habitat.get_config(config)
    except Exception as error:  # hydra's errors have no common base
        raise WrongInput(f"Habitat cannot read the configuration {config}: {' '.join(str(error).split())}") from error
    env = habitat.Env(settings)
    if not hasattr(env.task, "pddl_problem"):
        env.close()
        raise WrongInput(f"{config} has no PDDL problem: choose one of benchmark/rearrange/multi_task.")
    return env
