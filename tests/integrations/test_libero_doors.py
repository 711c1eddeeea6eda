"""The real LIBERO played by the real MCP client, and evaluated by the real Inspect AI."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import other_packages
from tests.suites.published.test_libero import LIBERO


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    script = Path(__file__).with_name("libero_doors_episode.py")
    completed = subprocess.run(
        [sys.executable, str(script), str(tmp_path_factory.mktemp("inspect"))],
        capture_output=True,
        text=True,
        env=other_packages.environment(*LIBERO),
        timeout=600,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr[-2000:]
    return json.loads(completed.stdout.splitlines()[-1])


@pytest.mark.slow
def test_an_agent_that_speaks_mcp_does_a_task_of_libero(results: Any) -> None:
    played = results["mcp"]
    assert played["tools"] == ["observe", "scene", "status", "stop", "report", "pick", "put", "open", "close"]
    assert "image" in played["views"] and played["refused"] == "L4"
    assert (played["done"], played["success"]) == ([True, True], True)


@pytest.mark.slow
def test_a_model_of_inspect_is_evaluated_on_libero(results: Any) -> None:
    evaluated = results["inspect"]
    assert (evaluated["status"], evaluated["error"]) == ("success", "None")
    assert (evaluated["questions"], evaluated["SR"], evaluated["success"]) == (3, 1.0, [True])
