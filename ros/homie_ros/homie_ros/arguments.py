"""The arguments of the launch file and of `bringup`: name, default, and what it is."""

from __future__ import annotations

ARGUMENTS = {
    "profile": ("fetch", "The robot: fetch, franka or a YAML file (`homie robot profile`)."),
    "task": ("", "The instruction; without one the agent waits for instructions on /homie/do."),
    "arm": ("false", "true: the robot may move. Otherwise the guard refuses every command."),
    "dry_run": ("false", "true: the guard shows what it would send, and sends nothing."),
    "silence": ("0.2", "Seconds of silence of the agent after which a moving robot is stopped."),
    "wait": ("30", "Seconds to wait for joint states, cameras and transforms before the agent; then it ends with 4."),
    "planner": ("rule", "The planner, as of `homie run`."),
    "skills": ("classical", "The skill sets, as of `homie run`."),
    "targets": ("", "background or sensors; without one that of the robot."),
    "rounds": ("30", "Rounds after which an instruction ends."),
    "transport": ("auto", "rclpy, dds or auto, of guard and agent."),
    "python": ("", "The Python that has homie; without one that of this package."),
    "options": ("", "More options of `homie run`, as they are written there."),
}
