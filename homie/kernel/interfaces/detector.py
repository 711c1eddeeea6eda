"""Interface of detectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from homie.kernel.interfaces.parts import Configurable
from homie.kernel.types import (
    Detection,
    Observation,
)


class Detector(Configurable, ABC):
    """Object detector: finds named boxes in pictures.

    It is constructed once for all episodes of a process; `reset` starts an episode. Its argument comes from
    `--detector NAME:ARGUMENT`, its settings from `--detector-option NAME=VALUE`. The argument of a network is its file
    or the name of its weights.
    """

    word = "detector"

    def describe(self) -> Mapping[str, object]:
        """Return what determines its boxes (hash of its weights, settings), JSON-serializable, without secrets; see
        `Planner.describe`."""
        return {}

    def reset(self) -> None:
        """Forget the previous episode, such as tracks of objects from picture to picture."""

    @abstractmethod
    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        """Detect the objects, pieces of furniture and rooms in every frame of an observation.

        Args:
            observation: Frames by view; `rgb` is (H, W, 3) uint8. Must not be changed.

        Returns:
            Detections with boxes in pixels (x0, y0, x1, y1) of their view, larger boxes first within a view.

        Raises:
            InfrastructureError: A model or a server behind it failed.
        """
