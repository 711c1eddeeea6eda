"""What the wire of the policy server takes: `python benchmarks/speed/policy_server.py [--calls 500] [--json]`

A server in a process of its own, on 127.0.0.1, serves a policy that does nothing; a client sends it pictures and gets
an action back, exactly as the skills of the set `remote` do. So all of a round trip is overhead. Prints medians and
95th percentiles in milliseconds; the aim is 3 ms for 480 kB of pictures.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection

import numpy as np

from homie.kernel.interfaces import Kinematics, Skill
from homie.kernel.robot.body import RobotSpec
from skills.policies.policy import Named, Policy, PolicySet
from skills.policy_client import RemotePolicy
from skills.policy_server import serve_policy

AIM = 3.0
WARM_UP = 50
CASES = {
    "no pictures": 0,
    "two pictures of 200 x 400, 480 kB": 2,
    "eight pictures of 200 x 400, 1920 kB": 8,
}
ACTION = np.zeros(7, np.float32)


class Nothing:
    """A policy that takes no time."""

    @property
    def facts(self) -> Named:
        return {"rate": 4.0}

    def reset(self, goal: Named) -> None:
        """Nothing to forget."""

    def step(self, inputs: Named) -> Named:
        return {"action": ACTION}


class NothingSet(PolicySet):
    """The set around it."""

    name = "nothing"

    def policy(self) -> Policy:
        return Nothing()

    @classmethod
    def around(cls, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        return []


def serve(connection: Connection) -> None:
    """The server's process."""
    serve_policy(
        "nothing",
        NothingSet,
        host="127.0.0.1",
        port=0,
        token_env="HOMIE_BENCHMARK_TOKEN",
        idle_seconds=600.0,
        sessions=1,
        debug=True,
        ready=lambda url, skills: connection.send(url),
        tell=lambda line: None,
    )


def measure(policy: RemotePolicy, pictures: int, calls: int) -> list[float]:
    """Milliseconds of round trips, every one with pictures that have not been sent before."""
    rng = np.random.default_rng(0)
    frames = [rng.integers(0, 256, (200, 400, 3), dtype=np.uint8) for _ in range(pictures)]
    policy.reset({"text": "nothing"})
    took = []
    for call in range(WARM_UP + calls):
        for frame in frames:
            frame[0, 0, 0] = call % 256
        began = time.perf_counter()
        policy.step({f"picture_{number}": frame for number, frame in enumerate(frames)})
        took.append(1000 * (time.perf_counter() - began))
    return took[WARM_UP:]


def run(calls: int) -> dict[str, dict[str, float]]:
    """Median and 95th percentile per case, ms."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,))
    process.start()
    try:
        policy = RemotePolicy(ours.recv(), token="", connect_seconds=10, reply_seconds=10, reconnect_seconds=0)
        measured = {}
        for name, pictures in CASES.items():
            took = measure(policy, pictures, calls)
            measured[name] = {"median": statistics.median(took), "p95": statistics.quantiles(took, n=20)[-1]}
        policy.close()
        return measured
    finally:
        process.terminate()
        process.join()


def main(arguments: Sequence[str] | None = None, tell: Callable[[str], object] = print) -> int:
    """Measure, print, and say whether the aim is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    measured = run(options.calls)
    met = measured["two pictures of 200 x 400, 480 kB"]["median"] < AIM
    if options.json:
        tell(json.dumps({"milliseconds": measured, "aim": AIM, "met": met}))
    else:
        for name, took in measured.items():
            tell(f"{name:<40}{took['median']:6.2f} ms median{took['p95']:8.2f} ms 95 %")
        tell(f"The aim is {AIM:g} ms for 480 kB: {'met' if met else 'MISSED'}.")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
