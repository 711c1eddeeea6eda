"""The only path of commands to the robot: velocities, trajectories, the gripper, and the cancellation of all of
them."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Protocol

from homie.kernel.errors import HomieError
from ros_bridge.guard.messages import CommandEnded, Grip, Navigate, Reach, Trajectory
from ros_bridge.guard.moveit import goal_of, reason
from ros_bridge.profiles.homie_topics import FINGERS, FINGERS_KIND
from ros_bridge.profiles.model import Profile
from ros_bridge.profiles.profile_check import MOVE_GROUP, NAVIGATE, TRAJECTORY, gripper_kind
from ros_bridge.transport.actions import ActionClient, Outcome, SentGoal, Status
from ros_bridge.transport.interface import NEWEST, SENSOR, Node
from ros_bridge.transport.refusals import create_if_known
from ros_bridge.transport.stamps import now, stamp

log = logging.getLogger("homie.ros_bridge")

POINT_TIME = 0.06
"""Seconds in which a controller moves to a streamed point: three ticks of the guard, so that a late one does no
harm."""
TOLERANCE = 1.0
"""Seconds by which a controller may exceed the duration of a trajectory."""
GRIP_TIME = 1.0
"""Seconds in which fingers moved by a trajectory open or close."""
OUT_OF_TOLERANCE = (-4, -5)
"""Error codes of FollowJointTrajectory: PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED."""
WORDS = {Status.SUCCEEDED: "succeeded", Status.CANCELED: "cancelled", Status.ABORTED: "aborted"}


class Outlet(Protocol):
    """Sends commands to a robot, or shows what would be sent."""

    def velocity(self, linear: float, angular: float, sideways: float = 0.0) -> None:
        """Send a base velocity: forward, turning, to the left."""

    def aim(self, group: str, positions: Sequence[float]) -> None:
        """Send the current target positions of a group's joints, in the order of its profile."""

    def follow(self, command: Trajectory, on_ended: Callable[[CommandEnded], None]) -> None:
        """Send a trajectory; `on_ended` is called once, from any thread."""

    def grip(self, command: Grip, on_ended: Callable[[CommandEnded], None]) -> None:
        """Send a command of the gripper; `on_ended` is called once, from any thread."""

    def navigate(self, command: Navigate, on_ended: Callable[[CommandEnded], None]) -> None:
        """Have the robot's own navigation drive; `on_ended` is called once, from any thread."""

    def reach(self, command: Reach, on_ended: Callable[[CommandEnded], None]) -> None:
        """Have the robot's own planner move the arm; `on_ended` is called once, from any thread."""

    def cancel(self, number: int) -> None:
        """Cancel a trajectory, a grip, a navigation goal or a planned motion."""

    def cancel_all(self) -> None:
        """Cancel every trajectory, and all goals of the robot's own software, also those of other programs."""


class RosOutlet:
    """Sends over ROS 2."""

    def __init__(self, node: Node, profile: Profile) -> None:
        self._node = node
        self._profile = profile
        base, gripper = profile.base, profile.gripper
        self._base = node.publisher(base.kind, base.command, NEWEST) if base is not None else None
        self._groups = {
            name: ActionClient(node, TRAJECTORY, group.action)
            for name, group in profile.groups.items()
            if group.action is not None
        }
        self._streams = {
            name: node.publisher(group.kind, group.stream, NEWEST)
            for name, group in profile.groups.items()
            if group.stream is not None
        }
        self._gripper = ActionClient(node, gripper_kind(gripper), gripper.action) if gripper is not None else None
        self._fingers = node.publisher(FINGERS_KIND, FINGERS, SENSOR) if gripper is not None else None
        navigation = profile.navigation
        self._navigation = _software(node, NAVIGATE, navigation.action) if navigation is not None else None
        reaching = profile.reaching
        self._reaching = _software(node, MOVE_GROUP, reaching.action) if reaching is not None else None
        self._goals: dict[int, tuple[ActionClient, SentGoal]] = {}

    def velocity(self, linear: float, angular: float, sideways: float = 0.0) -> None:
        base = self._profile.base
        if self._base is None or base is None:
            return
        twist: dict[str, object] = {"linear": {"x": linear, "y": sideways}, "angular": {"z": angular}}
        if base.stamped:
            # A simulator has its own clock: stamp 0, which ros2_control treats as now.
            header = {"stamp": stamp(0.0 if self._profile.use_sim_time else now())}
            twist = {"header": {**header, "frame_id": self._profile.frames.base}, "twist": twist}
        try:
            self._base.publish(self._node.message(base.kind, **twist))
        except HomieError as error:  # the network is full: the next tick tries again
            log.error("The velocity could not be sent: %s", error)

    def aim(self, group: str, positions: Sequence[float]) -> None:
        group_profile = self._profile.groups[group]
        fields: dict[str, object] = {"data": positions}
        if not group_profile.positions:
            point = {"positions": positions, "time_from_start": stamp(POINT_TIME)}
            fields = {"joint_names": [joint.name for joint in group_profile.joints], "points": [point]}
        try:
            self._streams[group].publish(self._node.message(group_profile.kind, **fields))
        except HomieError as error:  # the network is full: the next tick tries again
            log.error("The aim of '%s' could not be sent: %s", group, error)

    def follow(self, command: Trajectory, on_ended: Callable[[CommandEnded], None]) -> None:
        points = [{"positions": point.positions, "time_from_start": stamp(point.time)} for point in command.points]
        goal = {
            "trajectory": {"joint_names": command.joints, "points": points},
            "goal_time_tolerance": stamp(TOLERANCE),
        }
        self._send(self._groups[command.group], command.id, goal, on_ended)

    def grip(self, command: Grip, on_ended: Callable[[CommandEnded], None]) -> None:
        gripper = self._profile.gripper
        assert self._gripper is not None and gripper is not None
        goal = {"position": gripper.command_position(command.width), "max_effort": command.effort}
        if gripper.trajectory:
            point = {"positions": gripper.joint_states(command.width, 0.0)[0], "time_from_start": stamp(GRIP_TIME)}
            finger_trajectory = {"trajectory": {"joint_names": gripper.joints, "points": [point]}}
            self._send(self._gripper, command.id, finger_trajectory, lambda result: on_ended(_grip_result(result)))
        else:
            self._send(self._gripper, command.id, {"command": goal}, on_ended)
        if self._fingers is not None:
            try:
                self._fingers.publish(self._node.message(FINGERS_KIND, **goal))
            except HomieError as error:  # only recorders miss it
                log.warning("The command of the fingers is not announced: %s", error)

    def navigate(self, command: Navigate, on_ended: Callable[[CommandEnded], None]) -> None:
        pose = {
            "position": {"x": command.x, "y": command.y},
            "orientation": {"z": math.sin(command.yaw / 2), "w": math.cos(command.yaw / 2)},
        }
        # Without a stamp: the newest transform to the map.
        goal = {"pose": {"header": {"frame_id": command.frame}, "pose": pose}}
        self._send(self._navigation, command.id, goal, on_ended)

    def reach(self, command: Reach, on_ended: Callable[[CommandEnded], None]) -> None:
        self._send(self._reaching, command.id, goal_of(self._profile, command), on_ended)

    def cancel(self, number: int) -> None:
        sent = self._goals.get(number)
        if sent is not None:
            client, goal = sent
            client.cancel(goal)

    def cancel_all(self) -> None:
        clients = [client for client in (self._navigation, self._reaching) if client is not None]
        for client in (*self._groups.values(), *clients):
            try:
                client.cancel_all()
            except HomieError as error:
                log.error("A wish to cancel could not be sent: %s", error)

    def _send(
        self, client: ActionClient | None, number: int, goal: object, on_ended: Callable[[CommandEnded], None]
    ) -> None:
        if client is None or not client.ready():
            on_ended(CommandEnded(id=number, outcome="rejected", text="there is no controller for it on the network"))
            return
        sent = client.send(goal)
        self._goals[number] = (client, sent)

        def end(future: Future[Outcome]) -> None:
            self._goals.pop(number, None)
            on_ended(_ended(number, future))

        sent.outcome.add_done_callback(end)


def _software(node: Node, kind: str, name: str) -> ActionClient | None:
    """Create the client of software that a robot may lack."""
    return create_if_known(name, lambda: ActionClient(node, kind, name))


def _ended(number: int, future: Future[Outcome]) -> CommandEnded:
    error = future.exception()
    if error is not None:
        return CommandEnded(id=number, outcome="lost", text=str(error))
    outcome = future.result()
    if outcome.status is Status.UNKNOWN:
        return CommandEnded(id=number, outcome="rejected", text="the controller did not accept it")
    result = outcome.result
    code = getattr(result, "error_code", 0)
    text = str(getattr(result, "error_string", "") or getattr(result, "error_msg", ""))
    if hasattr(code, "val"):  # the code of MoveIt
        code, text = code.val, "" if outcome.status is Status.SUCCEEDED else reason(code)
    return CommandEnded.model_validate(
        {
            "id": number,
            "outcome": WORDS.get(outcome.status, "lost"),
            "code": int(code),
            "text": text,
            "position": getattr(result, "position", None),
            "stalled": getattr(result, "stalled", None),
        }
    )


def _grip_result(ended: CommandEnded) -> CommandEnded:
    """Convert the result of a finger trajectory: one aborted out of tolerance has met an object."""
    if ended.outcome == "aborted" and ended.code in OUT_OF_TOLERANCE:
        return ended.model_copy(update={"outcome": "succeeded", "stalled": True})
    return ended


class DryOutlet:
    """Shows what would be sent. Every command succeeds at once."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._moving = False
        self._targets: dict[str, str] = {}

    def velocity(self, linear: float, angular: float, sideways: float = 0.0) -> None:
        moving = any((linear, angular, sideways))
        if moving or self._moving:
            sideways_text = f", {sideways:.3f} m/s to the left" if sideways else ""
            self._show(f"would send: velocity {linear:.3f} m/s {angular:.3f} rad/s{sideways_text}")
        self._moving = moving

    def aim(self, group: str, positions: Sequence[float]) -> None:
        places = " ".join(f"{position:.2f}" for position in positions)
        if self._targets.get(group) != places:  # once per target, not 50 times a second
            self._show(f"would send: {group} to {places}")
        self._targets[group] = places

    def follow(self, command: Trajectory, on_ended: Callable[[CommandEnded], None]) -> None:
        last = command.points[-1]
        places = " ".join(f"{position:.3f}" for position in last.positions)
        self._show(f"would send: {command.group} through {len(command.points)} points to {places} in {last.time:.2f} s")
        on_ended(CommandEnded(id=command.id, outcome="succeeded", text="dry run"))

    def grip(self, command: Grip, on_ended: Callable[[CommandEnded], None]) -> None:
        self._show(f"would send: gripper to {command.width:.3f} m with {command.effort:.0f} N")
        on_ended(CommandEnded(id=command.id, outcome="succeeded", text="dry run", position=command.width))

    def navigate(self, command: Navigate, on_ended: Callable[[CommandEnded], None]) -> None:
        self._show(f"would send: navigation to {command.x:.2f} {command.y:.2f}, facing {command.yaw:.2f} rad")
        on_ended(CommandEnded(id=command.id, outcome="succeeded", text="dry run"))

    def reach(self, command: Reach, on_ended: Callable[[CommandEnded], None]) -> None:
        places = " ".join(f"{position:.3f}" for position in command.positions)
        self._show(f"would send: planned motion of the arm to {places}, around {len(command.boxes)} boxes")
        on_ended(CommandEnded(id=command.id, outcome="succeeded", text="dry run"))

    def cancel(self, number: int) -> None:
        self._show(f"would send: cancel {number}")

    def cancel_all(self) -> None:
        self._show("would send: cancel every trajectory")
