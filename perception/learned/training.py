"""Training of the network on a data set in the layout of COCO.

annotations/train.json -> Examples -> weights, averaged over the last steps -> calibrated scores -> detector.onnx

An interrupted training resumes at its last checkpoint, with the same random samples.
"""

from __future__ import annotations

import copy
import io
import json
import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import nn

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.training import LEAST_SCORE, DetectorOrder, DetectorReport, resuming
from homie.kernel.support.files import write_atomically
from homie.kernel.support.progress import StepOver
from perception.detectors.learned import FILE, SHIPPED
from perception.detectors.yolo_onnx import YoloOnnxDetector, YoloOnnxSettings
from perception.learned.coco import CocoSplit, Labelled, read_split
from perception.learned.examples import Examples, examples_of
from perception.learned.export import export
from perception.learned.exported_weights import read_export
from perception.learned.losses import loss_of
from perception.learned.network import COARSEST, Network
from perception.learned.scoring import fit_calibration, score

STATE = "checkpoints/state.pt"
AVERAGED = 0.998
"""Decay of the moving average of the weights, which is saved: it covers about the last 500 steps."""
DECAY = 5e-4
WARM_UP = 300
"""Steps in which the learning rate increases."""
LARGEST = 10.0
"""Largest norm of a gradient."""
MEASURED = 192
"""Number of pictures of the validation split on which the loss is measured at each checkpoint."""
CALIBRATING = 600
"""Number of pictures of the validation split by which the scores are calibrated."""
BALANCED = 400
"""Number of pictures sampled for the balance of the classes."""
HEAVIEST = 4.0
"""Largest weight of a rare class."""
TYPICAL = 96
"""Number of training pictures from which the statistics of exported weights are taken."""


def train(order: DetectorOrder, over: StepOver) -> DetectorReport:
    """Train as ordered, or resume an interrupted training.

    Raises:
        BadInput: The data set or the initial weights cannot be used.
    """
    start = time.monotonic()
    torch.set_num_threads(order.threads or torch.get_num_threads())
    torch.manual_seed(order.seed)
    data = read_split(order.data, "train")
    size = _size(data, order.enlarge)
    network = Network(data.classes).to(memory_format=torch.channels_last).train()
    if order.start:
        _load_initial_weights(network, data, size, order.start)
    run = _Run(order, network)
    validation = _validation(order, data)
    held_out = _spread(validation.pictures, MEASURED)
    balance = _balance(data, size)
    for examples in _examples_by_step(order, data, network.groups, size, after=run.step):
        run.step += 1
        run.losses[run.step] = run.learn(examples, balance)
        over(run.step, order.steps, run.losses[run.step])
        if run.step % order.keep_every == 0 or run.step == order.steps:
            if held_out:
                run.held_out[run.step] = _mean_loss(run.average, held_out, size, order.batch, balance)
            run.keep()
    path, facts = order.out / FILE, {"data": order.data_sha256}
    torch.save({"classes": list(data.classes), "network": run.average.state_dict()}, order.out / "weights.pt")
    export(run.average, data.classes, size, path, facts)
    if validation.pictures:
        calibrating = CocoSplit(data.classes, tuple(_spread(validation.pictures, CALIBRATING)))
        slope, offset = fit_calibration(score(_detector(path), calibrating).calibration)
        run.average.calibrate(slope, offset)
        export(run.average, data.classes, size, path, {**facts, "calibration": json.dumps([slope, offset])})
    return DetectorReport(
        file=FILE,
        losses=run.losses,
        held_out=run.held_out,
        parameters=sum(weight.numel() for weight in network.parameters()),
        classes=data.classes,
        scores=score(_detector(path), read_split(order.data, "test")),
        seconds=round(run.seconds + time.monotonic() - start, 1),
    )


def _detector(path: Path) -> YoloOnnxDetector:
    """Return the detector of an exported file with nearly all its boxes."""
    return YoloOnnxDetector(str(path), YoloOnnxSettings.model_validate({"score": LEAST_SCORE}))


def _examples_by_step(
    order: DetectorOrder, data: CocoSplit, groups: Sequence[int], size: tuple[int, int], after: int
) -> Iterator[Examples]:
    """Yield the examples of each step after a step, prepared in a thread while the step before is performed."""

    def prepare(step: int) -> Examples:
        rng = np.random.default_rng([order.seed, step])
        chosen = [data.pictures[number] for number in rng.integers(len(data.pictures), size=order.batch)]
        return examples_of(chosen, groups, size, rng)

    if after >= order.steps:
        return
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(prepare, after + 1)
        for step in range(after + 2, order.steps + 1):
            examples, pending = pending.result(), pool.submit(prepare, step)
            yield examples
        yield pending.result()


class _Run:
    """State of a training: weights, their average, optimiser and losses."""

    def __init__(self, order: DetectorOrder, network: Network) -> None:
        self._order, self._network = order, network
        self.average = copy.deepcopy(network).eval().requires_grad_(False)
        biases = [weight for weight in network.parameters() if weight.ndim == 1]
        kernels = [weight for weight in network.parameters() if weight.ndim > 1]
        self._optimizer = torch.optim.AdamW(
            [{"params": kernels, "weight_decay": DECAY}, {"params": biases, "weight_decay": 0.0}], lr=order.rate
        )
        self.step = 0
        self.seconds = 0.0
        self.losses: dict[int, float] = {}
        self.held_out: dict[int, float] = {}
        self._began = time.monotonic()
        self._resume()

    def learn(self, examples: Examples, balance: torch.Tensor) -> float:
        """Perform one step and return its loss."""
        for group in self._optimizer.param_groups:
            group["lr"] = self._order.rate * _schedule(self.step, self._order.steps)
        # Without these instructions bfloat16 takes ten times as long as float32.
        with torch.autocast("cpu", torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported()):
            outputs = self._network(examples.pictures)
        loss = loss_of(outputs, examples, balance)
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), LARGEST)
        self._optimizer.step()
        decay = min(AVERAGED, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for old, new in zip(self.average.state_dict().values(), self._network.state_dict().values(), strict=True):
                if old.dtype.is_floating_point:
                    old.lerp_(new, 1.0 - decay)
        return float(loss.detach())

    def keep(self) -> None:
        """Write a checkpoint atomically, with all that is needed to resume."""
        path = self._order.out / STATE
        path.parent.mkdir(exist_ok=True)
        state = {
            "network": self._network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "step": self.step,
            "losses": self.losses,
            "held_out": self.held_out,
            "seconds": self.seconds + time.monotonic() - self._began,
        }
        content = io.BytesIO()
        torch.save(state, content)
        write_atomically(path, content.getvalue())

    def _resume(self) -> None:
        path = self._order.out / STATE
        if not path.exists():
            return
        with resuming(path):
            state = torch.load(path, map_location="cpu", weights_only=True)
            self._network.load_state_dict(state["network"])
            self.average.load_state_dict(state["average"])
            self._optimizer.load_state_dict(state["optimizer"])
            self.step, self.seconds = state["step"], state["seconds"]
            self.losses, self.held_out = state["losses"], state["held_out"]


def _schedule(step: int, steps: int) -> float:
    """Return the learning rate's factor: a linear warm-up, then a cosine decay."""
    rise = min(WARM_UP, max(1, steps // 10))
    if step <= rise:
        return step / rise
    return 0.5 * (1.0 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))


def _size(data: CocoSplit, enlarge: float) -> tuple[int, int]:
    """Return width and height of the examples: those of the first picture, enlarged, rounded down to multiples of 32.

    Raises BadInput.
    """
    width, height = data.pictures[0].size
    columns, rows = (int(enlarge * side) // COARSEST * COARSEST for side in (width, height))
    if not min(columns, rows):
        raise BadInput(
            f"Pictures of {width} x {height}, enlarged {enlarge:g} times, are too small: the network needs at least "
            f"{COARSEST} x {COARSEST} pixels."
        )
    return columns, rows


def _validation(order: DetectorOrder, data: CocoSplit) -> CocoSplit:
    split = read_split(order.data, "validation")
    if split.classes != data.classes:
        raise BadInput(f"The splits of {order.data} have different categories: make the data set again.")
    return split


def _spread(pictures: Sequence[Labelled], number: int) -> Sequence[Labelled]:
    """Return at least so many pictures, evenly spread over all, or all if there are fewer."""
    return pictures[:: max(1, len(pictures) // number)]


def _balance(data: CocoSplit, size: tuple[int, int]) -> torch.Tensor:
    """Return the weight of a fine cell of each class: the square root of its inverse frequency."""
    groups = [0] * len(data.classes)
    counts = torch.zeros(len(data.classes) + 1)
    for picture in _spread(data.pictures, BALANCED):
        counts += torch.bincount(examples_of([picture], groups, size, None).filled.flatten(), minlength=len(counts))
    weights = (counts.clamp(min=1.0).median() / counts.clamp(min=1.0)).sqrt().clamp(1.0 / HEAVIEST, HEAVIEST)
    return weights / (weights * counts).sum() * counts.sum()


def _mean_loss(
    network: Network, pictures: Sequence[Labelled], size: tuple[int, int], batch: int, balance: torch.Tensor
) -> float:
    """Return the mean loss on pictures without augmentation."""
    total = 0.0
    with torch.inference_mode():
        for start in range(0, len(pictures), batch):
            examples = examples_of(pictures[start : start + batch], network.groups, size, None)
            total += len(examples.pictures) * float(loss_of(network(examples.pictures), examples, balance))
    return total / len(pictures)


def _load_initial_weights(network: Network, data: CocoSplit, size: tuple[int, int], start: str) -> None:
    """Load the weights of an earlier training, without the outputs if its classes differ. Raises BadInput."""

    def typical_pictures() -> torch.Tensor:
        return examples_of(_spread(data.pictures, TYPICAL), network.groups, size, None).pictures

    path = Path(start) / "weights.pt" if Path(start).is_dir() else Path(start)
    if start == "learned" and not path.exists():
        path = SHIPPED
    try:
        if path.suffix == ".onnx":
            classes, known = read_export(path, typical_pictures)
        else:
            saved = torch.load(path, weights_only=True)
            classes, known = saved["classes"], saved["network"]
    except (OSError, RuntimeError, KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{path} has no weights of `homie train detector` ({type(error).__name__}).") from error
    weights = network.state_dict()
    has_same_classes = classes == list(data.classes)
    fitting = {
        name: value
        for name, value in known.items()
        if name in weights
        and weights[name].shape == value.shape
        and (has_same_classes or not name.startswith(("scores", "sides", "filled")))
    }
    network.load_state_dict({**weights, **fitting})
