"""Ways to take things with a hand, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from homie.kernel.types import Array, Box, Pose, Solid
from skills.classical.grasp_candidates import FINGERS, Grasp, Tool, grasps, palm_touches, touches
from skills.classical.overhang import drawings, find_pinch_grasps, level_grasp, lies_flat
from skills.classical.plate_grasps import blocked, find_scoop_grasps
from skills.motion.collision import Solids
from skills.motion.motions import gripper_rotation
from tests.skills.classical.scenes import (
    BOARD,
    BOTTLE,
    BOWL,
    BRICK,
    CAN,
    CARD,
    CRATE,
    MUG,
    NARROW,
    OUT,
    PLATE,
    SHELF,
    TOP,
    beside,
    block,
    board,
    bowl,
    plate,
)
from tests.skills.classical.tables import Make, Rows, row_of, short, table


def _grasp(grasp: Grasp) -> str:
    roll = f"{grasp.roll:.2f}"
    way = (grasp.over, grasp.straight_down, grasp.under)
    return row_of(grasp.cost, grasp.yaw, grasp.pitch, roll, grasp.opening, grasp.pose.position, *way)


def _grasps(find: Callable[[], Iterable[Grasp]]) -> Rows:
    yield from map(_grasp, find())


@table
def ways_to_grasp() -> dict[str, Make]:
    """Cost, yaw, pitch, roll, opening, position, and how the hand comes in."""
    near = beside(CAN, 0.09, 0.02, (0.03, 0.2, 0.04))
    jar = beside(BOTTLE, 0.1, 0.0, (0.03, 0.2, 0.1))
    known_can, known_bowl = (block(CAN),), bowl(BOWL.center)
    handled = board(np.array([1.0, 2.0, 0.73]), 0.3)
    ways: dict[str, Callable[[], list[Grasp]]] = {
        "can": lambda: grasps(CAN, (near,), None),
        "can, narrow hand": lambda: grasps(CAN, (near,), None, parts=known_can, fingers=NARROW),
        "bottle": lambda: grasps(BOTTLE, (jar,), None, opening=0.09),
        "brick": lambda: grasps(BRICK, (), None, parts=(block(BRICK),)),
        "card": lambda: grasps(CARD, (), None),
        "mug on a low shelf": lambda: grasps(MUG, (), OUT, room=0.35),
        "brick on a low shelf": lambda: grasps(BRICK, (), OUT, room=0.35),
        "brick on a high shelf": lambda: grasps(BRICK, (), OUT, room=0.45),
        "crate": lambda: grasps(CRATE, (), None),
        "bowl": lambda: grasps(BOWL, (), None, parts=known_bowl),
        "bowl on a high shelf": lambda: grasps(BOWL, (), OUT, room=0.5, parts=known_bowl),
        "board with a handle": lambda: grasps(BOARD, (), None, parts=handled),
    }
    return {name: partial(_grasps, find) for name, find in ways.items()}


@table
def ways_to_take_plates() -> dict[str, Make]:
    """The same for plates: a finger under their rim."""
    tool, wall = Tool(0.10, FINGERS), beside(PLATE, 0.2, 0.0, (0.05, 0.3, 0.1))
    parts = plate(PLATE.center)
    return {
        "plate": lambda: _grasps(lambda: find_scoop_grasps(PLATE, parts, (wall,), None, tool)[:24]),
        "on a shelf, narrow hand": lambda: _grasps(
            lambda: find_scoop_grasps(PLATE, parts, (), OUT, Tool(0.10, NARROW))
        ),
        "could be one": lambda: _grasps(lambda: find_scoop_grasps(PLATE, (), (wall,), None, tool)[:16]),
        "which could be one": _could_be_plates,
        "room for the hand": _room_for_a_hand,
    }


def _could_be_plates() -> Rows:
    heights = ((0.12, 0.12, height) for height in (0.0174, 0.0176, 0.0061, 0.0059))
    widths = ((0.071, 0.075), (0.069, 0.075), (0.19, 0.199), (0.19, 0.201), (0.1, 0.132), (0.1, 0.134))
    for half in (*heights, *((*width, 0.01) for width in widths)):
        yield row_of(
            half, bool(find_scoop_grasps(Box(PLATE.center, np.array(half)), (), (), None, Tool(0.10, FINGERS)))
        )


def _room_for_a_hand() -> Rows:
    grasp = find_scoop_grasps(PLATE, plate(PLATE.center), (), None, Tool(0.10, FINGERS))[0]
    for way in (-grasp.approach, np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, -1.0]), grasp.pose.rotation[:, 1]):
        free = [x for x in np.arange(0.0, 0.4, 0.004) if not _is_blocked(grasp, x * way)]
        yield row_of("clear from", way, min(free), max(free), len(free))


def _is_blocked(grasp: Grasp, away: Array) -> bool:
    return blocked((grasp.pose,), Solids([Box(grasp.pose.position + away, np.array([0.02, 0.02, 0.02]))]), FINGERS)


@table
def ways_over_an_edge() -> dict[str, Make]:
    """Flat things that are drawn over an edge, and how they are pinched there."""
    sloping = (Solid("box", np.array([0.05, 0.05, 0.003]), Pose(CARD.center, gripper_rotation(0.2, 0.5))),)
    over = Box(TOP.center + np.array([*(0.27 * OUT), 0.01]), np.array([0.05, 0.045, 0.01]), 0.1)
    front, narrow = replace(TOP, access=OUT), Tool(0.07, NARROW)
    return {
        "drawn": _random_rows,
        "walls that slope": lambda: _grasps(lambda: find_pinch_grasps(over, TOP, sloping, Tool(0.10, FINGERS))),
        "on a board, narrow hand": lambda: _grasps(lambda: find_pinch_grasps(over, front, sloping, narrow)),
        "what lies flat": lambda: _flat(sloping[0]),
    }


def _random_rows() -> Rows:
    for box in (BRICK, CARD, CRATE, BOARD):
        for surface in (TOP, SHELF, replace(TOP, half_x=0.12, half_y=0.13)):
            for way in drawings(box, surface, (beside(box, 0.3, 0.0, (0.05, 0.4, 0.03)),)):
                yield row_of(box.name, way.length, way.depth, way.yaw, way.at)
                drawn = Box(box.center + way.length * way.out, box.half, box.yaw)
                for grasp in find_pinch_grasps(drawn, surface, (), Tool(0.10, FINGERS))[:3]:
                    yield "  " + _grasp(grasp)
                    level, hand = level_grasp(drawn, grasp, grasp.pose)
                    yield "  " + row_of("levelled", level.center, level.half, level.yaw, hand.rotation[:, 0])


def _flat(other: Solid) -> Rows:
    kinds: tuple[Literal["box", "hull", "cylinder", "sphere"], ...] = ("box", "hull", "cylinder", "sphere")
    for kind in kinds:
        for pitch in (0.0, 0.19, 0.21, np.pi):
            part = Solid(kind, np.full(3, 0.03), Pose(np.zeros(3), gripper_rotation(0.0, pitch)))
            yield row_of(kind, pitch, lies_flat((part,)), lies_flat((part, other)))


@short
def what_a_hand_touches() -> Rows:
    """From how far away on a neighbour is out of the way of fingers and palm."""
    tall, flat = grasps(BOTTLE, (), None)[0], grasps(BRICK, (), None)[0]
    for fingers in (FINGERS, NARROW):
        for grasp in (tall, flat):
            for way in (*np.eye(3), *-np.eye(3)):
                boxes = [
                    Box(grasp.pose.position + distance * way, np.array([0.06, 0.04, 0.025]), 0.2)
                    for distance in np.arange(0.0, 0.2, 0.002)
                ]
                fingered = [touches(grasp, [box], fingers) for box in boxes]
                palmed = [palm_touches(grasp, [box], fingers) for box in boxes]
                last = (int(max(np.flatnonzero(hits), default=-1)) for hits in (fingered, palmed))
                yield row_of(way, "fingers", sum(fingered), next(last), "palm", sum(palmed), next(last))
