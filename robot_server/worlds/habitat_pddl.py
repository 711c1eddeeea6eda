"""The world of a PDDL task of Habitat: names, positions, and the available actions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MOVABLE, GOAL = "movable_entity_type", "goal_entity_type"
ARTICULATED, ROBOT = "art_receptacle_entity_type", "robot_entity_type"
"""Types of entities of Habitat's own domains."""
KINDS = {"fridge_type": "fridge", "cab_type": "cabinet", ARTICULATED: "cabinet", GOAL: "goal", ROBOT: "robot"}
FLOOR = "floor"


def upright(point: Any) -> list[float]:
    """Convert a point of Habitat, whose y is up, to Homie's frame, whose z is up."""
    x, y, z = (float(value) for value in point)
    return [x, -z, y]


@dataclass(frozen=True)
class PddlAction:
    """A PDDL action: its numbers for `pddl_apply_action`, its notation in Habitat, and a part of its precondition that
    is not met, "" for none."""

    numbers: Any
    words: str
    unmet: str


class PddlWorld:
    """The entities of a problem that is bound to its simulator."""

    def __init__(self, problem: Any) -> None:
        self._problem, self._info = problem, problem.sim_info
        self._order = problem.get_ordered_entities_list()
        self._named = number_entities([(entity, self._kind(entity)) for entity in self._order])
        """Entities by readable names: `master_chef_can`, `cabinet_2`."""

    def number(self, name: str) -> int:
        """Return the number of an entity for `oracle_nav_action`, from 1."""
        return self._number(self._named[name])

    def _number(self, entity: Any) -> int:
        return int(self._order.index(entity)) + 1

    def _of(self, kind: str) -> dict[str, Any]:
        """Return the entities of a type by their names."""
        return {name: entity for name, entity in self._named.items() if self._is_a(entity, kind)}

    def _is_a(self, entity: Any, kind: str) -> bool:
        return kind in self._info.expr_types and bool(self._info.check_type_matches(entity, kind))

    def _robot(self) -> Any:
        return next(iter(self._of(ROBOT).values()))

    def _agent(self) -> Any:
        return self._info.sim.get_agent_data(0).articulated_agent

    # ------------------------------------------------------------ actions

    def action(self, verb: str, things: Sequence[str]) -> PddlAction | None:
        """Return the first action whose name begins with a verb and that takes these entities and the robot."""
        values = [*(self._named[name] for name in things), self._robot()]
        first = 0
        actions = self._problem.get_ordered_actions()
        numbers = np.zeros(sum(action.n_args for action in actions), dtype=np.float32)
        for action in actions:
            if action.name.split("_")[0] == verb and action.are_args_compatible(values):
                numbers[first : first + action.n_args] = [self._number(entity) for entity in values]
                bound = self._problem.actions[action.name].clone()
                bound.set_param_values(values)
                return PddlAction(numbers, bound.compact_str, self._unmet(bound.precond))
            first += action.n_args
        return None

    def _unmet(self, expression: Any) -> str:
        """Return a part of a condition that is not met, "" for none."""
        for part in expression.sub_exprs:
            if not part.is_true(self._info):
                return str(getattr(part, "compact_str", part))
        return ""

    # ------------------------------------------------------------ state

    def _is(self, predicate: str, *entities: Any) -> bool:
        if predicate not in self._info.predicates:
            return False
        bound = self._info.get_predicate(predicate).clone()
        bound.set_param_values(list(entities))
        return bool(bound.is_true(self._info))

    def held(self) -> str | None:
        """Return the name of the held object."""
        robot = self._robot()
        return next((name for name, entity in self._of(MOVABLE).items() if self._is("holding", entity, robot)), None)

    def base(self) -> tuple[float, float, float]:
        """Return the pose of the robot: x, y (m) and yaw (rad)."""
        x, y, _ = upright(self._agent().base_pos)
        east, north, _ = upright(self._agent().base_transformation.transform_vector(np.array([1.0, 0.0, 0.0])))
        return x, y, float(np.arctan2(north, east))

    def from_base(self, point: Any) -> list[float]:
        """Convert a point of the robot's base to Homie's frame."""
        return upright(self._agent().base_transformation.transform_point(point))

    def instances(self, ids: Any) -> tuple[list[str], Any]:
        """Return the names of movable objects, and a picture of their indices from one (H, W) of object ids."""
        movable = self._of(MOVABLE)
        picture = np.full(ids.shape, -1, dtype=np.int32)
        for number, entity in enumerate(movable.values()):
            picture[ids == self._object_id(entity)] = number
        return list(movable), picture

    def snapshot(self) -> Mapping[str, Any]:
        """Return the world as `homie.WorldSnapshot`."""
        x, y, yaw = self.base()
        held = self.held()
        opening = self._of(ARTICULATED)
        places = {**opening, **self._of(GOAL)}
        return {
            "objects": {name: self._object(name, entity, held, places) for name, entity in self._of(MOVABLE).items()},
            "fixed": {
                FLOOR: {"kind": FLOOR, "receives": "on"},
                **{name: self._fixed(entity) for name, entity in places.items()},
            },
            "joints": {f"{name}/joint": self._joint(name, entity) for name, entity in opening.items()},
            "held": held,
            "robot": {"x": x, "y": y, "yaw": yaw},
            "success": bool(self._problem.is_expr_true(self._problem.goal)),
        }

    def _object(self, name: str, entity: Any, held: str | None, places: Mapping[str, Any]) -> Mapping[str, Any]:
        at = next((place for place, other in places.items() if self._is_at(entity, other)), FLOOR)
        inside = at != FLOOR and self._is_a(places[at], ARTICULATED)
        relation = "in" if inside else "on"
        return {
            "kind": self._kind(entity),
            "position": upright(self._info.get_entity_pos(entity)),
            "relation": "held" if name == held else relation,
            "at": "robot" if name == held else at,
        }

    def _is_at(self, entity: Any, place: Any) -> bool:
        if self._is_a(place, ARTICULATED):
            return self._is("in", entity, place)
        return self._is("object_at", entity, place)

    def _kind(self, entity: Any) -> str:
        """Return a readable kind: `master chef can` for an object with the handle `002_master_chef_can_:0000`."""
        if not self._is_a(entity, MOVABLE):
            return next((word for kind, word in KINDS.items() if self._is_a(entity, kind)), "place")
        handle = self._info.sim.get_rigid_object_manager().get_object_by_id(self._object_id(entity)).handle
        return re.sub(r"^\d+_|_?:\d+$|\.object_config\.json$", "", str(handle)).replace("_", " ").strip()

    def _object_id(self, entity: Any) -> int:
        """Return the id of a movable entity in the simulator."""
        return int(self._info.sim.scene_obj_ids[self._info.obj_ids[entity.name]])

    def _fixed(self, entity: Any) -> Mapping[str, Any]:
        return {
            "kind": self._kind(entity),
            "position": upright(self._info.get_entity_pos(entity)),
            "receives": "in" if self._is_a(entity, ARTICULATED) else "on",
        }

    def _joint(self, name: str, entity: Any) -> Mapping[str, Any]:
        kind = "fridge" if self._is_a(entity, "fridge_type") else "cab"
        return {"receptacle": name, "fraction": 1.0 if self._is(f"opened_{kind}", entity) else 0.0}


def number_entities(entities: Sequence[tuple[Any, str]]) -> dict[str, Any]:
    """Name entities by their kinds, with a number where there are several of one."""
    total = Counter(kind for _, kind in entities)
    seen: Counter[str] = Counter()
    names: dict[str, Any] = {}
    for entity, kind in entities:
        seen[kind] += 1
        names[kind.replace(" ", "_") + (f"_{seen[kind]}" if total[kind] > 1 else "")] = entity
    return names
