"""Tiny models that several test files share, built once a session."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

Tiny = Callable[[str], Path]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """The folder of a tiny model with random weights, by its kind (`tests.planners.tiny_models.KINDS`)."""
    import torch

    from tests.planners.tiny_models import tiny_model

    torch.set_num_threads(1)  # tests run side by side, and the models are too small to be split
    models: dict[str, Path] = {}

    def get(kind: str) -> Path:
        if kind not in models:
            models[kind] = tiny_model(tmp_path_factory.mktemp("models") / kind, kind)
        return models[kind]

    return get


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks up a name or connects fails, and nothing says beforehand that there is no network."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError("the test has no network")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    for name in ("getaddrinfo", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
