"""Motions planned by MoveIt (`moveit_msgs/action/MoveGroup`): goals and error codes."""

from __future__ import annotations

import math
from typing import Any

from ros_bridge.guard.messages import Reach
from ros_bridge.profiles.model import Profile

TOLERANCE = 0.005
"""Joint tolerance of a goal, rad or m: the straight motion that follows begins there."""
PLANNING = 2.0
"""Allowed planning time, s: less than a stop waits for a goal to end, so that none begins to move after it."""
TRIES = 4
BOX, SPHERE = 1, 2
"""Shapes of `shape_msgs/msg/SolidPrimitive`."""
HELD = "homie_held"

REASONS = {
    -1: "no way was found",
    -2: "the way that was found is not valid",
    -3: "something has moved in its way",
    -4: "the controller gave up",
    -5: "it has no sensor data",
    -6: "time ran out",
    -7: "it was preempted",
    -10: "the arm touches something where it begins",
    -11: "it begins outside of its constraints",
    -12: "the arm would touch something at its end",
    -13: "its end is outside of its constraints",
    -14: "it has not come to its end",
    -15: "it does not know the planning group",
    -16: "it does not take such goals",
    -17: "it cannot make out where the robot is",
    -18: "it does not know the link",
    -19: "it does not know the object",
    -21: "a frame is not known",
    -22: "it cannot check for collisions",
    -23: "the joint states are too old",
    -24: "the sensor data are too old",
    -25: "it cannot reach its parts",
    -26: "it cannot begin where the arm is",
    -27: "the arm cannot be where it should end",
    -28: "it does not take such goals",
    -29: "the planner has crashed",
    -30: "the planner was aborted",
    -31: "the arm does not reach there",
    99999: "it failed",
}
"""Descriptions of the codes of `moveit_msgs/msg/MoveItErrorCodes`, except success (1)."""
OUT_OF_REACH = (-27, -31)
"""Codes of an unreachable goal (GOAL_STATE_INVALID, NO_IK_SOLUTION)."""


def goal_of(profile: Profile, command: Reach) -> dict[str, Any]:
    """Build the fields of a motion goal; `command_checks.check_reach` has accepted the command.

    Obstacles go with the goal, as a change of MoveIt's planning scene for this goal alone.
    """
    reaching = profile.reaching
    assert reaching is not None
    header = {"frame_id": command.frame}
    joints = [
        {"joint_name": name, "position": position, "weight": 1.0}
        | {"tolerance_above": TOLERANCE, "tolerance_below": TOLERANCE}
        for name, position in zip(command.joints, command.positions, strict=True)
    ]
    boxes = [
        {
            "header": header,
            "id": f"homie_{number}",
            "pose": _pose(*box.center, yaw=box.yaw),
            "primitives": [{"type": BOX, "dimensions": [2 * size for size in box.half]}],
            "primitive_poses": [_pose(0.0, 0.0, 0.0)],
        }
        for number, box in enumerate(command.boxes)
    ]
    state: dict[str, Any] = {"is_diff": True}
    if command.held:
        state["attached_collision_objects"] = [_attached(profile, command)]
    return {
        "request": {
            "start_state": {"is_diff": True},
            "goal_constraints": [{"joint_constraints": joints}],
            "group_name": reaching.group,
            "num_planning_attempts": TRIES,
            "allowed_planning_time": PLANNING,
            "max_velocity_scaling_factor": reaching.speed,
            "max_acceleration_scaling_factor": reaching.speed,
        },
        "planning_options": {
            "planning_scene_diff": {"is_diff": True, "robot_state": state, "world": {"collision_objects": boxes}}
        },
    }


def reason(code: Any) -> str:
    """Return why a motion failed, from a `MoveItErrorCodes`: its message, if any, or the description of its code."""
    number = int(code.val)
    return str(getattr(code, "message", "")) or REASONS.get(number, f"error {number}")


def _attached(profile: Profile, command: Reach) -> dict[str, Any]:
    """Build the attached collision object of the held object, which the fingers may touch."""
    link = profile.frames.effector
    assert profile.reaching is not None
    return {
        "link_name": link,
        "touch_links": profile.reaching.touch,
        "object": {
            "header": {"frame_id": link},
            "id": HELD,
            "pose": _pose(0.0, 0.0, 0.0),
            "primitives": [{"type": SPHERE, "dimensions": [ball[3]]} for ball in command.held],
            "primitive_poses": [_pose(*ball[:3]) for ball in command.held],
        },
    }


def _pose(x: float, y: float, z: float, yaw: float = 0.0) -> dict[str, Any]:
    orientation = {"z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}
    return {"position": {"x": x, "y": y, "z": z}, "orientation": orientation}
