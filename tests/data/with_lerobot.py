"""What the real lerobot makes of a data set: run by `test_lerobot_loads.py` in an environment that has it.

with_lerobot.py ROOT frames FILE.npz     loads, batches, and writes all columns and pictures into a file
with_lerobot.py ROOT append              adds an episode as lerobot does, and loads the whole
"""

import sys

import cpu_torchvision  # noqa: F401  # before lerobot, which imports torchvision
import numpy as np
import torch
from lerobot.datasets.lerobot_dataset import LeRobotDataset


def open_dataset(root):
    return LeRobotDataset("homie/test", root=root, video_backend="pyav")


def frames(root, out):
    dataset = open_dataset(root)
    loader = torch.utils.data.DataLoader(dataset, batch_size=5)
    batches = list(loader)
    keys = [key for key in batches[0] if isinstance(batches[0][key], torch.Tensor)]
    columns = {key: torch.cat([batch[key] for batch in batches]).numpy() for key in keys}
    texts = {key: [text for batch in batches for text in batch[key]] for key in batches[0] if key not in keys}
    np.savez(out, **columns, **{key: np.array(values) for key, values in texts.items()})


def append(root):
    dataset = open_dataset(root)
    before = dataset.num_episodes
    first = dataset[0]
    for _ in range(6):
        frame = {"task": "something new"}
        for key, feature in dataset.features.items():
            if key in ("timestamp", "frame_index", "episode_index", "index", "task_index"):
                continue
            if feature["dtype"] == "video":
                frame[key] = np.zeros(feature["shape"], np.uint8)
            elif feature["dtype"] == "string":
                frame[key] = ""
            else:
                frame[key] = first[key].numpy().reshape(feature["shape"])
        dataset.add_frame(frame)
    dataset.save_episode()
    dataset.finalize()
    again = open_dataset(root)
    assert again.num_episodes == before + 1, again.num_episodes
    assert again[len(again) - 1]["task"] == "something new"


if __name__ == "__main__":
    root, what, *rest = sys.argv[1:]
    {"frames": frames, "append": append}[what](root, *rest)
