"""The ament package homie_ros: `colcon build` installs it into a workspace, `pip install` into a Python."""

from setuptools import setup

NAME = "homie_ros"

setup(
    name=NAME,
    version="0.2.0",
    description="Starts Homie's guard and agent for a robot.",
    license="Apache-2.0",
    packages=[NAME],
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", ["launch/agent.launch.py"]),
        (f"share/{NAME}/rviz", ["rviz/homie.rviz"]),
        (f"share/{NAME}/foxglove", ["foxglove/homie.json"]),
    ],
    zip_safe=False,
    entry_points={"console_scripts": [f"bringup = {NAME}.bringup:main"]},
)
