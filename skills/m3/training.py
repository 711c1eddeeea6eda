"""Behaviour cloning of M3's navigation from recorded drives.

lessons -> paths by decisions (teacher.py) -> sequences, each time from a slightly displaced base -> navigate.pth

Data augmentation keeps a clone on its path: the base is moved off the recorded path, its images are turned with it, and
the decision that leads back is the label; the previous decision is dropped half of the time, since a network that sees
it learns to repeat it; and so are some of the images. Half of the paths are mirrored. M3 holds its arm in front of the
camera, other skills do not: near pixels that stay covered all along a recorded path are the arm, which is copied into
the images of the other paths. If no recording has it, a random part is covered.
"""

from __future__ import annotations

import io
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.training import resuming
from homie.kernel.robot.lessons import Lesson, SkillOrder, SkillReport, SkillTraining
from homie.kernel.support.files import write_atomically
from homie.kernel.support.progress import StepOver
from homie.kernel.types import Array, wrap_angles
from skills.checkpoints.device import choose_device
from skills.m3.checkpoint import load_network, network_content
from skills.m3.files import find_files
from skills.m3.frames import FIELD, resample_depth, to_m3
from skills.m3.layout import DEPTH_RANGE, NAVIGATION, SIZE, STOP
from skills.m3.network import HIDDEN, Network
from skills.m3.teacher import decisions, goals, nodes

NETWORK, CAMERA = "navigate", "front"
STATE = "checkpoints/state.pt"
OFF, TURNED = 0.1, 0.2
"""Displacement of a base off its path (standard deviation, m and rad)."""
FORGETS = 0.5
"""Fraction of the previous decisions that are dropped."""
BLIND = 0.15
"""Fraction of the paths whose images are dropped: the target alone leads through most rooms, and a clone of few paths
learns to trust images that mean nothing elsewhere."""
MIRRORED = 0.5
"""Fraction of the paths without an arm that are mirrored."""
ARM_WITHIN, ARM_MOVES, ARM_SHARE = 0.9 / DEPTH_RANGE, 0.01 / DEPTH_RANGE, 0.65
"""Pixels nearer than 0.9 m (the floor is not) that keep their distance to 1 cm in two thirds of a path's images belong
to the robot's own arm; in the other images it is on its way there."""
LEAST_ARM, LEAST_PICTURES = 0.1, 20
"""Minimum fraction of the image that an arm covers, and minimum number of a path's images to distinguish it from a
wall."""
STOPS = 3.0
"""Weight of a stop: there is one in a path of some forty decisions."""
LARGEST = 1.0
"""Maximum norm of a gradient."""


@dataclass(frozen=True)
class Way:
    """A lesson as the network's training input: poses (n, 3), images (n, 128, 128) in 0..1, the target (3,), and the
    arm in the images, if there is one."""

    poses: Array
    pictures: torch.Tensor
    target: Array
    arm: Arm | None = None


@dataclass(frozen=True)
class Arm:
    """The robot's own arm in front of its camera: the pixels (128, 128) that it covers, and their depths, 1 is 10 m."""

    pixels: torch.Tensor
    distances: torch.Tensor


def train(order: SkillOrder, over: StepOver) -> SkillReport:
    """Train as ordered, or resume the training. Raises BadInput for weights or lessons that cannot be used."""
    start = time.monotonic()
    device = choose_device(order.device)
    torch.manual_seed(order.seed)
    network = _initial_network(order).to(device).train()
    optimizer = torch.optim.Adam(network.parameters(), lr=order.rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, order.steps)
    ways, held_out = ([way_of(lesson) for lesson in lessons] for lessons in (order.lessons, order.held_out))
    arms = [way.arm for way in ways if way.arm is not None]
    losses: dict[int, float] = {}
    held_out_losses: dict[int, float] = {}
    completed_steps = _restore_state(order.out / STATE, network, optimizer, schedule, losses, held_out_losses)
    for step in range(completed_steps + 1, order.steps + 1):
        rng = np.random.default_rng([order.seed, step])  # a resumed training samples the same numbers
        chosen = [ways[number] for number in rng.integers(len(ways), size=order.batch)]
        loss, _ = _loss(network, chosen, arms, rng, device)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), LARGEST)
        optimizer.step()
        schedule.step()
        losses[step] = loss.item()
        over(step, order.steps, losses[step])
        if step % order.keep_every == 0 or step == order.steps:
            if held_out:
                held_out_losses[step] = _evaluate(network, held_out, arms, order.seed, device)[0]
            _save_state(order.out / STATE, network, optimizer, schedule, losses, held_out_losses, step)
    right = _evaluate(network, held_out or ways, arms, order.seed, device)[1]
    torch.save(network_content(network.cpu(), order.steps), order.out / f"{NETWORK}.pth")
    return SkillReport(
        file=f"{NETWORK}.pth",
        losses=losses,
        held_out=held_out_losses,
        parameters=sum(weight.numel() for weight in network.parameters()),
        seconds=round(time.monotonic() - start, 1),
        more={"decisions like the teacher's": right},
    )


def way_of(lesson: Lesson) -> Way:
    """Convert a lesson to a path by decisions. Raises BadInput without depth images of the front."""
    if CAMERA not in lesson.depths:
        raise BadInput(f"{lesson.name} has no depth of the camera {CAMERA}: record with --depths {CAMERA}.")
    indices = nodes(lesson.poses)
    node_pictures = [lesson.depths[CAMERA][number] for number in indices]
    pictures = np.stack([resample_depth(picture.depth, picture.lens) for picture in node_pictures]) / DEPTH_RANGE
    images = torch.from_numpy(np.clip(pictures, 0.0, 1.0)).float()
    return Way(lesson.poses[indices], images, lesson.target, arm_before_camera(images))


def mirror(way: Way) -> Way:
    """Return the path mirrored left to right, in a house that is as likely."""
    return Way(way.poses * (1.0, -1.0, -1.0), way.pictures.flip(2), way.target * (1.0, -1.0, 1.0))


def _initial_network(order: SkillOrder) -> Network:
    if not order.start:
        return Network(NAVIGATION)
    files = find_files(order.start)
    if NETWORK not in files:
        raise BadInput(f"There is no {NETWORK} in {order.start} to begin with.")
    return load_network(NETWORK, files[NETWORK])[0]


def _loss(
    network: Network, ways: Sequence[Way], arms: Sequence[Arm], rng: np.random.Generator, device: torch.device
) -> tuple[torch.Tensor, float]:
    """Return the mean loss of some paths, each from a displaced base, and the fraction of correct decisions."""
    longest = max(len(way.poses) for way in ways)
    pictures: list[torch.Tensor | None] = []
    states = torch.zeros(longest, len(ways), 3)
    previous = torch.zeros(longest, len(ways), NAVIGATION.actions)
    labels = torch.zeros(longest, len(ways), NAVIGATION.actions)
    for column, recorded in enumerate(ways):
        # An arm is not mirrored: it is on its own side.
        way = mirror(recorded) if recorded.arm is None and rng.random() < MIRRORED else recorded
        bases = way.poses + rng.normal(0.0, (OFF, OFF, TURNED), way.poses.shape)
        quality = torch.from_numpy(decisions(way.poses, bases)).float()
        count = len(quality)
        states[:count, column] = torch.from_numpy(np.stack([to_m3(goal) for goal in goals(bases, way.target)]))
        turns = torch.from_numpy(wrap_angles(bases[:, 2] - way.poses[:, 2])).float()
        pictures.append(None if rng.random() < BLIND else cover_pictures(turn_pictures(way.pictures, turns), arms, rng))
        is_given = torch.from_numpy(rng.random(count - 1) >= FORGETS).float()[:, None]
        previous[1:count, column] = is_given * functional.one_hot(quality[:-1].argmax(1), NAVIGATION.actions)
        labels[:count, column] = quality
    logits = _sequence_logits(network, pictures, states.to(device), previous.to(device))
    flat, answers = logits.flatten(0, 1), labels.flatten(0, 1).to(device)
    weights = answers.sum(1) + (STOPS - 1.0) * answers[:, STOP]  # 0 after the end: paths have different lengths
    loss = (weights * functional.cross_entropy(flat, answers, reduction="none")).sum() / weights.sum()
    right = (flat.argmax(1) == answers.argmax(1))[weights > 0]
    return loss, float(right.float().mean())


def _sequence_logits(
    network: Network, pictures: Sequence[torch.Tensor | None], states: torch.Tensor, previous: torch.Tensor
) -> torch.Tensor:
    """Return logits (n, paths, classes) of whole sequences, the same that `Network.forward` gives step by step.

    Args:
        pictures: Images (m, 128, 128) of each path, at most n; None for a path without images.
    """
    present = [way for way in pictures if way is not None]
    nothing = torch.zeros(1, SIZE, SIZE)
    # Convolutions take nearly all of the time: a path without images, and the end of a short one, share one image of
    # zeros.
    # On a CPU without these instructions bfloat16 takes ten times as long as float32.
    is_faster = states.device.type != "cpu" or torch.cpu._is_avx512_bf16_supported()
    with torch.autocast(states.device.type, torch.bfloat16, enabled=is_faster):
        encoded = network.net.visual_encoder(torch.cat((nothing, *present))[:, None].to(states.device)).float()
    seen = encoded[:1].expand(len(states), len(pictures), -1).clone()
    at = 1
    for column, way in enumerate(pictures):
        if way is not None:
            seen[: len(way), column] = encoded[at : at + len(way)]
            at += len(way)
    start = torch.zeros(1, len(pictures), HIDDEN, device=states.device)
    occluded, _ = network.net.rnn_encoder.rnn(torch.cat((seen, states, previous), 2), start)
    logits: torch.Tensor = network.actor(occluded)
    return logits


def turn_pictures(pictures: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
    """Return depth images (n, 128, 128) as seen by a base turned to the left by `turns` (n,), rad.

    Assumes a level camera. Pixels outside the recorded image are 0: no return.
    """
    slopes = (torch.arange(SIZE) + 0.5 - SIZE / 2) * (2 * math.tan(FIELD / 2) / SIZE)
    cos, sin = torch.cos(turns)[:, None], torch.sin(turns)[:, None]
    depth = cos + sin * slopes  # the recorded depth (n, 128) of a point that is now at depth 1 in each column
    columns = _pixels((cos * slopes - sin) / depth)[:, None, :]
    rows = _pixels(slopes[None, :, None] / depth[:, None, :])
    outside = (depth[:, None, :] <= 0) | (columns < 0) | (columns >= SIZE) | (rows < 0) | (rows >= SIZE)
    places = rows.clamp(0, SIZE - 1) * SIZE + columns.clamp(0, SIZE - 1)
    seen = pictures.flatten(1).gather(1, places.flatten(1)).view_as(pictures) / depth[:, None, :]
    return seen.masked_fill(outside, 0.0)


def _pixels(slopes: torch.Tensor) -> torch.Tensor:
    """Return the pixels, of rows or columns, in which rays of some slopes end."""
    return (slopes * (SIZE / (2 * math.tan(FIELD / 2))) + SIZE / 2).floor().long()


def arm_before_camera(pictures: torch.Tensor) -> Arm | None:
    """Return the arm in front of the camera in images (n, 128, 128) of a path, or None."""
    middle = pictures.median(dim=0).values
    steady = ((pictures - middle).abs() < ARM_MOVES).float().mean(dim=0) > ARM_SHARE
    arm = steady & (middle > 0.0) & (middle < ARM_WITHIN)
    is_arm = len(pictures) >= LEAST_PICTURES and float(arm.float().mean()) >= LEAST_ARM
    return Arm(arm, middle[arm]) if is_arm else None


def cover_pictures(pictures: torch.Tensor, arms: Sequence[Arm], rng: np.random.Generator) -> torch.Tensor:
    """Return images (n, 128, 128) of a path with an arm in front of the camera, or a near obstacle in a random part of
    all."""
    occluded = pictures.clone()
    if arms:
        arm = arms[int(rng.integers(len(arms)))]
        occluded[:, arm.pixels] = arm.distances
        return occluded
    top, left_column = rng.integers(SIZE // 2, SIZE), rng.integers(SIZE)
    occluded[:, top : top + rng.integers(SIZE // 2), left_column : left_column + rng.integers(SIZE // 2)] = (
        rng.random() / DEPTH_RANGE
    )
    return occluded


def _evaluate(
    network: Network, ways: Sequence[Way], arms: Sequence[Arm], seed: int, device: torch.device
) -> tuple[float, float]:
    """Return the loss on paths and the fraction of correct decisions, always from the same displacements."""
    with torch.inference_mode():
        pairs = [
            _loss(network, [way], arms, np.random.default_rng([seed, 0, place]), device)
            for place, way in enumerate(ways)
        ]
    return math.fsum(float(loss) for loss, _ in pairs) / len(pairs), math.fsum(right for _, right in pairs) / len(pairs)


def _save_state(
    path: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    losses: dict[int, float],
    held_out_losses: dict[int, float],
    step: int,
) -> None:
    """Save the state from which an interrupted training resumes, atomically."""
    path.parent.mkdir(exist_ok=True)
    parts = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
    content = io.BytesIO()
    torch.save({**parts, "losses": losses, "held_out": held_out_losses, "step": step}, content)
    write_atomically(path, content.getvalue())


def _restore_state(
    path: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    losses: dict[int, float],
    held_out_losses: dict[int, float],
) -> int:
    """Restore the saved state; returns the number of completed steps."""
    if not path.exists():
        return 0
    with resuming(path):
        state = torch.load(path, map_location="cpu", weights_only=True)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        losses.update(state["losses"])
        held_out_losses.update(state["held_out"])
        return int(state["step"])


TRAINING = SkillTraining(actions={NETWORK: "Go to"}, cameras={NETWORK: (CAMERA,)}, train=train)
