"""Fixtures that run the docs against fakes of other tests: a chat server, tiny models, small runs, recordings."""

import sys
from pathlib import Path

import pytest

HELPERS = ("planners", "bench", "data", "train", "perception/detectors", "ros_bridge/profiles")
sys.path += [str(Path(__file__).parents[1] / name) for name in HELPERS]


def pytest_configure(config: pytest.Config) -> None:
    """Start one server for the models of all pages, in the pytest process that distributes the tests to workers."""
    if config.option.markexpr == "docs" and not hasattr(config, "workerinput"):
        from model_server import PORT, model_server

        try:
            server = model_server()
        except OSError as error:
            raise pytest.UsageError(f"The docs have a model at port {PORT}: stop what listens there.") from error
        server.__enter__()
        config.add_cleanup(lambda: server.__exit__())
