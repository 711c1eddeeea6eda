"""Plays LIBERO in a process of its own, in the environment of its package; prints what came of it as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import homie
from homie.envs.libero.robot import LiberoRobot, LiberoSettings
from homie.envs.libero.tasks import find_task
from homie.kernel.errors import BadInput
from homie.testing import check_locator, check_robot
from skills.discrete_actions.arm_actions import ArmAction
from suites.published.libero import libero_goal


def refusal(argument: str) -> str:
    try:
        find_task(argument)
    except BadInput as refused:
        return str(refused)
    return ""


def main() -> None:
    results: dict[str, Any] = {
        "refusals": [refusal("libero_gaol/1"), refusal("libero_goal/10"), refusal("libero_goal")]
    }
    robot = LiberoRobot.of("libero_goal/put_the_bowl_on_the_plate", LiberoSettings(picture_size="128x128"))
    check_robot(robot)
    check_locator(robot.background(), robot, ["bowl", "plate", "wine bottle", "stove", "top drawer"])
    robot.reset(seed=404807202)
    results["first"] = robot.snapshot().objects["plate_1"].position
    robot.reset(seed=0)
    results["again"] = robot.snapshot().objects["plate_1"].position
    frame = robot.observe(("front",)).frames["front"]
    results["picture"] = rows_and_depth(frame)
    robot.close()
    robot.close()
    with homie.open(robot="libero:libero_goal/8", skills="classical", picture_size="128x128") as session:
        results["actions"] = session.actions
        answers = [session.call("Put", "bowl", "plate"), session.call("Pick", "stove")]
        results["codes"] = [str(answer.feedback.code) for answer in answers]
        results["before"] = session.world_state().success
        results["done"] = [session.call("Pick", "bowl").feedback.ok, session.call("Put", "bowl", "plate").feedback.ok]
        world = session.world_state()
        results["place"] = [world.objects["akita_black_bowl_1"].relation, world.objects["akita_black_bowl_1"].at]
        results["success"] = world.success
    with homie.open(robot="libero:libero_goal/3", skills="classical,chores", picture_size="128x128") as session:
        results["all actions"] = session.actions
        steps = (("Open", "top drawer"), ("Pick", "bowl"), ("Put", "bowl", "top drawer"))
        results["drawer"] = [session.call(*steps[0]).feedback.ok]
        results["pulled"] = session.world_state().joints["wooden_cabinet_1_top_region/slide"].opening
        results["drawer"] += [session.call(*step).feedback.ok for step in steps[1:]]
        world = session.world_state()
        results["drawer"] += [world.success, world.objects["akita_black_bowl_1"].at]
        results["stove"] = []
        for action in ("Turn on", "Turn off"):
            ok = session.call(action, "stove").feedback.ok
            states = session.robot.world.env.object_states_dict["flat_stove_1"]
            results["stove"].append([ok, bool(states.turn_on()), bool(states.turn_off())])
        results["closed"] = session.call("Close", "top drawer").feedback.ok
    results["moves"] = [by_numbers(control) for control in ("joints", "osc")]
    with LiberoRobot.of("libero_goal/put_the_bowl_on_the_plate", LiberoSettings(seed=1)) as robot:
        results["second"] = robot.snapshot().objects["plate_1"].position
    with LiberoRobot.of("libero_object/0", LiberoSettings()) as robot:
        results["floor"] = [robot.workspace.tolist(), len(robot.snapshot().objects) > 3]
    results["texts"] = [
        find_task(f"{suite}/0").text for suite in ("libero_goal", "libero_goal_task", "libero_goal_lan")
    ]
    suite = libero_goal()
    results["suite"] = [len(suite.tasks), suite.tasks[408].id, suite.tasks[408].scene.seed, suite.tasks[408].expert]
    print(json.dumps(results))


def by_numbers(control: str) -> list[Any]:
    """The bowl is taken by its rim and put on the plate in five poses of seven numbers."""
    with homie.open(
        robot="libero:libero_goal/8", robot_settings={"control": control}, skills="arm", picture_size="64x64"
    ) as session:
        world, origin = session.world_state(), session.robot.workspace
        bowl, plate = world.objects["akita_black_bowl_1"], world.objects["plate_1"]
        rim, top = bowl.half[1] - 0.004, bowl.position[2] + bowl.half[2]
        results = []
        for place, height, opens in (
            (bowl, top + 0.12, 1),
            (bowl, top - 0.015, 0),
            (bowl, top + 0.15, 0),
            (plate, top + 0.15, 0),
            (plate, plate.position[2] + plate.half[2] + 2 * bowl.half[2] - 0.01, 1),
        ):
            cells = ArmAction.place(np.array([place.position[0], place.position[1] + rim, height]) - origin)
            results.append(session.call("Move", f"{cells[:-1]}, 0, 60, 60, {opens}]").feedback.ok)
        return [session.actions, results, session.world_state().success]


def rows_and_depth(frame: homie.CameraFrame) -> list[float]:
    """Mean rows of plate and rack, from the upper edge, and metres to the plate by depth and by the world."""
    assert frame.instances is not None and frame.depth is not None
    rows = [
        float(np.argwhere(frame.instances == frame.instance_names.index(name))[:, 0].mean())
        for name in ("plate_1", "wine_rack_1")
    ]
    plate = frame.instances == frame.instance_names.index("plate_1")
    return [*rows, float(np.median(frame.depth[plate]))]


if __name__ == "__main__":
    main()
