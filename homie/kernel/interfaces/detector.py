"""The contract of detectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from homie.kernel.interfaces.parts import Configurable
from homie.kernel.types import (
    Detection,
    Observation,
)


class Detector(Configurable, ABC):
    """From pictures to named boxes.

    It is made once for all episodes of a process; `reset` begins an episode. Its argument is that of
    `--detector NAME:ARGUMENT`, its settings those of `--detector-option NAME=VALUE`. The argument of a network is its
    file or the name of its weights.
    """

    word = "detector"

    def describe(self) -> Mapping[str, object]:
        """What decides its boxes (the hash of its weights, settings), JSON-ready, without secrets; as for planners."""
        return {}

    def reset(self) -> None:
        """Forget the episode, such as what was followed from picture to picture."""

    @abstractmethod
    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        """The objects, pieces of furniture and rooms in every frame of an observation.

        Args:
            observation: Frames by view; `rgb` is (H, W, 3) uint8. Not to be changed.

        Returns:
            Detections with boxes in pixels (x0, y0, x1, y1) of their view, larger boxes first within a view.

        Raises:
            InfrastructureError: A model or a server behind it failed.
        """
