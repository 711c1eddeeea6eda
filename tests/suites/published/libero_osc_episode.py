"""Plays one list of actions in LIBERO twice, by vla-eval's own harness and by Homie with `control=osc`, in the
environment of LIBERO's package; prints what came of it as JSON."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import numpy as np

import homie
from homie.envs.libero.robot import LiberoRobot, LiberoSettings
from homie.testing import check_robot
from tests.skills.dialects import dialect_servers as servers  # makes the packages of others importable

SUITE, TASK = "libero_goal", 8
COUNT = 16


def actions() -> np.ndarray:
    """(n, 7) in float32: down and ahead, a turn of the hand, a stop, back; then the fingers close."""
    rows = np.zeros((COUNT, 7))
    rows[:6, :3] = [0.5, -0.3, -0.9]
    rows[3:9, 3:6] = [0.1, -0.2, 0.3]
    rows[11:, :3] = [-0.6, 0.7, 1.0]
    rows[:, 6] = np.where(np.arange(COUNT) < COUNT // 2, -1.0, 1.0)
    return rows.astype(np.float32)


class Listed(servers.Knowing):
    """Gives the actions one after the other, then none that moves."""

    def __init__(self) -> None:
        super().__init__({})
        self.session: homie.Session | None = None
        self.joints: list[list[float]] = []

    def chunk(self, text: str, state: np.ndarray) -> np.ndarray:
        self.texts.append(text)
        assert self.session is not None
        self.joints.append(list(self.session.robot.measured().joints.values()))  # which stands meanwhile
        return np.concatenate([actions(), np.zeros((COUNT, 7), np.float32)])[len(self.texts) - 1 :][:1]


async def play_in_vla_eval() -> dict[str, Any]:
    from vla_eval.benchmarks.libero.benchmark import LIBEROBenchmark

    # Homie looks in the control period before the first action, in which the hand waits.
    harness = LIBEROBenchmark(
        SUITE, env_seed=0, num_steps_wait=11, send_wrist_image=True, send_state=True, quat_no_antipodal=True
    )
    await harness.start_episode(harness.get_tasks()[TASK])
    observations, joints = [], []
    for row in actions():
        observations.append(await harness.get_observation())
        assert harness._env is not None
        joints.append(harness._env.sim.data.qpos[:7].tolist())
        await harness.apply_action({"actions": row})
    harness.cleanup()
    return {
        "first": observations[0]["images"],
        "states": [each["states"].tolist() for each in observations],
        "joints": joints,
    }


def play_in_homie() -> dict[str, Any]:
    settings = {"layout": "libero", "picture_size": 256, "execute": 1, "steps": COUNT, "pick": "{task}"}
    policy = Listed()
    with (
        servers.openpi(policy) as (url, _),
        homie.open(
            robot=f"libero:{SUITE}/{TASK}",
            robot_settings={"control": "osc"},
            skills=f"openpi:{url}",
            skill_settings={f"openpi.{name}": value for name, value in settings.items()},
        ) as session,
    ):
        policy.session = session
        session.call("Pick", "bowl")
    observations = policy.seen[:COUNT]
    return {
        "first": {
            "agentview": observations[0]["observation/image"],
            "wrist": observations[0]["observation/wrist_image"],
        },
        "states": [each["observation/state"].tolist() for each in observations],
        "joints": policy.joints[:COUNT],
        "texts": policy.texts[:1],
    }


def by_joints() -> list[bool | None]:
    """Skills that command joints, whose posture the hand alone does not say."""
    with homie.open(
        robot=f"libero:{SUITE}/{TASK}", robot_settings={"control": "osc"}, skills="classical", picture_size="64x64"
    ) as session:
        results = [session.call("Pick", "bowl").feedback.ok, session.call("Put", "bowl", "plate").feedback.ok]
        return [*results, session.world_state().success]


def main() -> None:
    results: dict[str, Any] = {}
    check_robot(LiberoRobot.of(f"{SUITE}/{TASK}", LiberoSettings(control="osc", picture_size="128x128")))
    results["classical"] = by_joints()
    own, other = play_in_homie(), asyncio.run(play_in_vla_eval())
    results["text"] = own["texts"]
    for name, picture in other["first"].items():
        # Mean difference of colours to what vla-eval sends, and to the same with left and right exchanged.
        ahead = [np.abs(own["first"][name].astype(float) - each).mean() for each in (picture, picture[:, ::-1])]
        results[name] = [float(value) for value in ahead]
    results |= {name: [own[name], other[name]] for name in ("states", "joints")}
    print(json.dumps(results))


if __name__ == "__main__":
    main()
