"""Input of the graph construction from the state of a simulated world. Privileged."""

from __future__ import annotations

from homie.kernel.actions import ACTION_TABLE
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Robot, WorldState
from skills.discrete_actions.charting import Ground

GO_TO = ACTION_TABLE["Go to"]


def survey(robot: Robot) -> Ground:
    """Return the floor of a robot's home in its current state, its rooms, and all targets of Go to except rooms.

    Raises BadInput for a robot whose world is not known.
    """
    if not isinstance(robot, WorldState):
        raise BadInput(
            f"A graph of the home is made of its world state, and the {robot.spec.name} has none: choose other skills"
            " by --skills."
        )
    world, seen, locator = robot.snapshot(), robot.observe(), robot.background()
    locator.reset(seed=0)
    grid = locator.here(seen).grid
    rooms = {name: room.floor for name, room in world.rooms.items() if room.floor is not None}
    if grid is None or not rooms:
        raise BadInput(
            f"A graph is made of rooms and their floor, and the {robot.spec.name} knows none: choose other skills by"
            " --skills."
        )
    goals = {name: locator.goal(name, GO_TO, seen) for name in world.things if name != world.held}
    return Ground(grid, seen.body.base, robot.spec.footprint_radius, rooms, goals)
