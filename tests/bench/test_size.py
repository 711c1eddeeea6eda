"""How many workers a bench has where nobody says: by cores, control groups and memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from homie.bench.play import worker_count
from homie.bench.play.worker_count import workers_of
from homie.kernel.support.cores_and_memory import cores, free_memory


@pytest.fixture
def groups(tmp_path: Path) -> tuple[Path, Path]:
    """A control group in another, and the file that says that this process is in it."""
    (tmp_path / "groups/outer/inner").mkdir(parents=True)
    membership = tmp_path / "cgroup"
    membership.write_text("1:cpu:/elsewhere\n0::/outer/inner\n")
    return tmp_path / "groups", membership


def test_cores_are_those_of_the_affinity_unless_a_quota_is_less(groups):
    root, membership = groups
    allowed = len(os.sched_getaffinity(0))
    assert cores(root, membership) == allowed
    (root / "outer/inner/cpu.max").write_text("max 100000\n")
    assert cores(root, membership) == allowed
    (root / "outer/cpu.max").write_text("100000 100000\n")
    assert cores(root, membership) == 1, "the quota of a group around it counts too"
    (root / "outer/cpu.max").write_text("20000 100000\n")
    assert cores(root, membership) == 1, "a fifth of a core is one worker all the same"
    assert cores(root / "nowhere", membership) == cores(root, membership.with_name("nothing")) == allowed


def test_memory_is_what_the_system_has_unless_a_group_has_less(groups, tmp_path):
    root, membership = groups
    memory = tmp_path / "meminfo"
    memory.write_text("MemTotal: 9000000 kB\nMemAvailable:    4194304 kB\n")
    assert free_memory(root, membership, memory) == 4.0
    (root / "outer/memory.max").write_text(f"{3 * 2**30}\n")
    (root / "outer/memory.current").write_text(f"{2**30}\n")
    assert free_memory(root, membership, memory) == 2.0
    assert free_memory(root, membership.with_name("nothing"), tmp_path / "none") == float("inf")


@pytest.mark.parametrize(
    ("requested", "episodes", "robot", "ray", "workers"),
    [
        (None, 100, "mujoco", False, 6),
        (None, 4, "franka:stack", False, 4),
        (None, 100, "ros:fetch", False, 1),
        (None, 100, "mujoco", True, 1),
        (3, 100, "ros:fetch", False, 3),
        (8, 2, "mujoco", True, 2),
    ],
)
def test_embedded_worlds_use_what_there_is(monkeypatch, requested, episodes, robot, ray, workers):
    monkeypatch.setattr(worker_count, "cores", lambda: 8)
    monkeypatch.setattr(worker_count, "free_memory", lambda: 6 * worker_count.GIB_EACH + 0.1)
    assert workers_of(requested, episodes, robot, ray=ray) == workers


def test_little_memory_is_one_worker_all_the_same(monkeypatch):
    monkeypatch.setattr(worker_count, "free_memory", lambda: 0.2)
    assert workers_of(None, 100, "mujoco") == 1
