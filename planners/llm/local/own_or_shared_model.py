"""Where answers of a local model come from: weights in this process, or in a process that several workers share."""

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
from planners.llm.local.question import Question, Written

if TYPE_CHECKING:
    from planners.llm.local.batching import Server

_NEEDED = ("torch", "transformers", "accelerate", "safetensors", "llguidance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Which model, as a user names it.

    Attributes:
        adapter: "" for none.
        revision: On the hub, "" for the main one.
    """

    name: str
    adapter: str = ""
    revision: str = ""
    device: str = "auto"
    dtype: str = "auto"
    load_in_4bit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a loaded model, JSON-ready.

    Attributes:
        sees: Whether it takes pictures.
        blind: Why not, a sentence.
        engine: Where it is and in which precision.
        files: The SHA-256 of its weights (`sha256`) and of its adapter (`adapter_sha256`), in hex.
    """

    sees: bool
    blind: str
    engine: Mapping[str, object]
    files: Mapping[str, str]


class Source(Protocol):
    """Something that answers questions."""

    facts: Facts

    def ask(self, question: Question, batch: int) -> Written:
        """The answer. Raises PlannerError.

        Args:
            batch: How many questions may share one pass.
        """


class OwnModel:
    """One client of a model that this process has loaded. It counts as long as it is referred to: a question waits for
    those of other clients for a moment."""

    def __init__(self, server: Server, facts: Facts) -> None:
        self.facts = facts
        self.server = server
        server.users.add(self)

    def ask(self, question: Question, batch: int) -> Written:
        return self.server.ask(question, batch)

    def submit(self, question: Question, batch: int) -> Future[Written]:
        """Begin to answer (`Server.submit`)."""
        return self.server.submit(question, batch)


def find_weights(weights: Weights) -> tuple[Path, Path | None]:
    """The folders of a model and of its adapter, None without one; nothing is loaded. Raises as `open_weights`."""
    _check_packages()
    from planners.llm.local.adapters import ADAPTER_WEIGHTS
    from planners.llm.local.find_model import find_folder
    from planners.llm.local.loading import WEIGHTS

    folder = find_folder(weights.name, WEIGHTS, revision=weights.revision)
    return folder, find_folder(weights.adapter, ADAPTER_WEIGHTS) if weights.adapter else None


def open_weights(weights: Weights) -> tuple[Server, Facts]:
    """The model, loaded now or shared with who has loaded it in this process.

    Raises:
        BadInput: The files are missing, or are not of a model that Homie can load.
        MissingPart: A package is missing.
        PlannerError: There is no way to the hub.
    """
    folder, adapter = find_weights(weights)
    from planners.llm.local.batching import shared
    from planners.llm.local.loading import Load, load_engine, model_type, no_pictures

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
            sees=is_multimodal, blind="" if is_multimodal else no_pictures(folder), engine=description, files=files
        )
    return server, _facts[weights]


_facts: dict[Weights, Facts] = {}
"""Of what this process has loaded: reading gigabytes for their checksums takes long."""


def _check_packages() -> None:
    """Raises MissingPart for what is not installed, InfrastructureError for a torchvision that breaks the rest."""
    for package in _NEEDED:
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
