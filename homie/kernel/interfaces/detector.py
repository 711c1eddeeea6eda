"""The contract of detectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from homie.kernel.interfaces.parts import NamedByUsers
from homie.kernel.types import (
    Detection,
    Observation,
)


class Detector(NamedByUsers, ABC):
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
        """Detections in every frame of the observation, larger boxes first within a view."""
