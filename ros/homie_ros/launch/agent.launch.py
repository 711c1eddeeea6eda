"""ros2 launch homie_ros agent.launch.py profile:=fetch arm:=true task:="go to the white table" """

from homie_ros.arguments import ARGUMENTS
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def generate_launch_description() -> LaunchDescription:
    """Guard first, then the check of the robot, then the agent; they end with the launch, the robot standing."""
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=about)
        for name, (default, about) in ARGUMENTS.items()
    ]
    words = [[f"--{name}=", LaunchConfiguration(name)] for name in ARGUMENTS]
    bringup = Node(
        package="homie_ros",
        executable="bringup",
        arguments=words,
        output="screen",
        sigterm_timeout="60",
        sigkill_timeout="60",
        on_exit=Shutdown(),
    )
    return LaunchDescription([*declared, bringup])
