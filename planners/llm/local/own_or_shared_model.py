"""Sources of a local model's answers: weights in this process, or in a process that several workers share."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from homie.kernel.errors import InfrastructureError
from homie.kernel.support.checksums import fingerprint
from homie.kernel.support.packages import missing_part
from planners.llm.local.question import Completion, Question

if TYPE_CHECKING:
    from planners.llm.local.batching import Server

_PACKAGES = ("torch", "transformers", "accelerate", "safetensors", "llguidance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The user's choice of a model.

    Attributes:
        name: Path or hub id.
        adapter: Path or hub id, "" for none.
        revision: Revision on the hub, "" for the main one.
    """

    name: str
    adapter: str = ""
    revision: str = ""
    device: str = "auto"
    dtype: str = "auto"
    load_in_4bit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Properties of a loaded model, JSON-ready.

    Attributes:
        sees: Whether it accepts pictures.
        blind: Why it does not, a sentence.
        engine: Description by `Engine.describe`: size, device, precision.
        files: The SHA-256 of its weights (`sha256`) and of its adapter (`adapter_sha256`), in hex.
    """

    sees: bool
    blind: str
    engine: Mapping[str, object]
    files: Mapping[str, str]


class Source(Protocol):
    """A client of a model."""

    facts: Facts

    def ask(self, question: Question, batch: int) -> Completion:
        """Answer a question. Raises PlannerError.

        Args:
            batch: Maximum number of questions in one pass.
        """


class OwnModel:
    """A client of a model loaded in this process. While it is referenced the server counts it, and questions of other
    clients wait a moment for its questions to share their batch."""

    def __init__(self, server: Server, facts: Facts) -> None:
        self.facts = facts
        self.server = server
        server.users.add(self)

    def ask(self, question: Question, batch: int) -> Completion:
        return self.server.ask(question, batch)

    def submit(self, question: Question, batch: int) -> Future[Completion]:
        """Queue a question (`Server.submit`)."""
        return self.server.submit(question, batch)


def find_weights(weights: Weights) -> tuple[Path, Path | None]:
    """Return the folders of a model and its adapter (or None), without loading them. Raises as `open_weights`."""
    _check_packages()
    from planners.llm.local.adapters import ADAPTER_WEIGHTS
    from planners.llm.local.find_model import find_folder
    from planners.llm.local.loading import WEIGHTS

    folder = find_folder(weights.name, WEIGHTS, revision=weights.revision)
    return folder, find_folder(weights.adapter, ADAPTER_WEIGHTS) if weights.adapter else None


def open_weights(weights: Weights) -> tuple[Server, Facts]:
    """Load a model, or return it if this process has loaded it already.

    Raises:
        BadInput: The files are missing, or are not of a supported model.
        MissingPart: A package is missing.
        PlannerError: The hub cannot be reached.
    """
    folder, adapter = find_weights(weights)
    from planners.llm.local.batching import shared
    from planners.llm.local.loading import Load, explain_no_pictures, load_engine, model_type

    model_type(folder)
    load = Load(folder.resolve(), adapter and adapter.resolve(), weights.device, weights.dtype, weights.load_in_4bit)
    server = shared(load, lambda: load_engine(load))
    if weights not in _facts:
        files = {"sha256": fingerprint(folder)}
        if adapter is not None:
            files["adapter_sha256"] = fingerprint(adapter)
        is_multimodal = server.engine.sees
        description = server.engine.describe()
        _facts[weights] = Facts(
            sees=is_multimodal,
            blind="" if is_multimodal else explain_no_pictures(folder),
            engine=description,
            files=files,
        )
    return server, _facts[weights]


_facts: dict[Weights, Facts] = {}
"""Facts of the models loaded by this process, cached because reading gigabytes for their checksums takes long."""


def _check_packages() -> None:
    """Raise MissingPart for a missing package, InfrastructureError for a torchvision that breaks transformers."""
    for package in _PACKAGES:
        if importlib.util.find_spec(package) is None:
            raise missing_part("The planner 'transformers'", package, "torch")
    if importlib.util.find_spec("torchvision") is not None:
        try:
            importlib.import_module("torchvision")
        except (ImportError, RuntimeError) as error:
            raise InfrastructureError(
                "The installed torchvision does not fit the installed torch and breaks transformers: "
                "`pip uninstall torchvision` (Homie does not need it)."
            ) from error
