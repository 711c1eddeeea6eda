"""A robot of Homie in the hands of the real lerobot: run by `test_lerobot_robot.py` in an environment that has it.

with_lerobot_robot.py OUT FOLDER...      FOLDERs have homie, the distribution, the tiny world and homie's own packages
"""

import sys

import cpu_torchvision  # noqa: F401  # before lerobot, which imports torchvision
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from lerobot.datasets.utils import build_dataset_frame, hw_to_dataset_features
from lerobot.robots import RobotConfig, make_robot_from_config

FPS, FRAMES = 10, 10


def main() -> None:
    sys.path += sys.argv[2:]  # behind those of the environment, whose own packages come first
    from lerobot_robot_homie import HomieConfig

    assert RobotConfig.get_choice_class("homie") is HomieConfig
    robot = make_robot_from_config(HomieConfig(robot="tiny", views=["front"], fps=FPS))
    actions = hw_to_dataset_features(robot.action_features, "action", use_video=False)
    observations = hw_to_dataset_features(robot.observation_features, "observation", use_video=False)
    dataset = LeRobotDataset.create(
        "homie/robot", FPS, {**actions, **observations}, root=sys.argv[1], robot_type=robot.name, use_videos=False
    )
    with robot:
        for _ in range(FRAMES):
            observation = robot.get_observation()
            sent = robot.send_action({**dict.fromkeys(robot.action_features, 0.0), "base.linear.vel": 0.4})
            frame = build_dataset_frame(dataset.features, observation, "observation")
            dataset.add_frame({**frame, **build_dataset_frame(dataset.features, sent, "action"), "task": "drive"})
    dataset.save_episode()
    dataset.finalize()
    again = LeRobotDataset("homie/robot", root=sys.argv[1])
    column = again.features["observation.state"]["names"].index("base.x")
    places = [float(again[number]["observation.state"][column]) for number in range(len(again))]
    assert places == sorted(places) and places[-1] > places[0]
    print(f"recorded {len(again)} frames")


main()
