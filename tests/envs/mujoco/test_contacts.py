"""Contact is stiff: things stop at the surface of what they meet, however light, heavy or fast they are."""

from __future__ import annotations

import numpy as np
import pytest
from homes import lay, one_room

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.bodies.fetch_kinematics import FETCH
from homie.kernel.types import Command, Pose

IN_FALL, IN_FINGER = 0.005, 0.002
"""Metres that a thing may be in what it falls on, and in a finger that holds it."""

KINDS = {"strawberry": "red", "orange": "orange", "sponge": "yellow", "bleach_cleanser": "white"}
"""The lightest things, a round one and the heaviest."""

HELD_OUT = Pose(np.array([0.75, 0.1, 1.0]), np.eye(3))


class DepthGauge:
    """The deepest contact (m) of a thing over all physics steps since it was made."""

    def __init__(self, home: MujocoHome, name: str) -> None:
        self._data, self._body = home.data, home.model.body(name).id
        self._bodies = home.model.geom_bodyid
        self.deepest = 0.0
        home.after_step = self._look

    def _look(self) -> None:
        contacts = self._data.contact
        own = (self._bodies[contacts.geom] == self._body).any(axis=1)
        self.deepest = max(self.deepest, -float(np.min(contacts.dist[own], initial=0.0)))


@pytest.fixture
def home(request: pytest.FixtureRequest) -> MujocoHome:
    places = enumerate(KINDS.items())
    things = [{"name": k, "kind": k, "colour": c, "x": 0.6 + 0.7 * i, "y": 3.4} for i, (k, c) in places]
    return MujocoHome(one_room([], things, (2.0, 1.2, 0.0)), grasp=getattr(request, "param", "weld"))


@pytest.mark.parametrize("name", KINDS)
def test_a_thing_that_falls_from_a_shelf_does_not_sink_into_the_floor(home: MujocoHome, name: str) -> None:
    gauge = DepthGauge(home, name)
    lay(home.model, home.data, name, (3.2, 3.2, 1.7), (0.8, 0.4, 0.4, 0.2))
    for _ in range(40):
        home.act(Command())
    assert 0.0 < gauge.deepest < IN_FALL
    assert home.data.body(name).xpos[2] < 0.2, "it has come down"


@pytest.mark.parametrize("home", ["weld", "friction"], indirect=True)
@pytest.mark.parametrize(("name", "ahead"), [("strawberry", 0.0), ("orange", 0.012), ("sponge", 0.026)])
def test_fingers_stay_on_the_surface_of_what_they_squeeze(home: MujocoHome, name: str, ahead: float) -> None:
    """The thing is brought between the open fingers, `ahead` metres before their middle: clear of the palm."""
    for _ in range(100):
        home.act(Command(effector=HELD_OUT, gripper=home.spec.gripper_max))
    site = home.data.site("robot/gripper")
    place = site.xpos + ahead * site.xmat.reshape(3, 3)[:, 0]
    lay(home.model, home.data, name, place, (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)))
    thing = home.data.body(name)
    weight = float(home.model.body(name).mass[0]) * 9.81
    gauge = DepthGauge(home, name)
    for _ in range(40):  # it floats until it is held
        thing.xfrc_applied[2] = 0.0 if home.observe().body.holding else weight
        home.act(Command(gripper=0.0))
    assert home.world.held == name
    assert gauge.deepest < IN_FINGER
    pads = [home.data.geom(f"robot/{pad}").xpos for pad in FETCH.hand.pads]
    middle = (pads[0] + pads[1]) / 2
    assert abs((thing.xpos - middle) @ site.xmat.reshape(3, 3)[:, 1]) < 0.002, "it is in the middle between them"
    before = thing.xpos - site.xpos
    for _ in range(25):
        home.act(Command(gripper=0.0))
    assert np.linalg.norm(thing.xpos - site.xpos - before) < 0.001, "and stays where it is"
    for _ in range(25):
        home.act(Command(gripper=home.spec.gripper_max))
    assert home.world.held is None and thing.xpos[2] < 0.8, "opening the hand lets it fall"


def test_equal_falls_end_alike(home: MujocoHome) -> None:
    """Finer steps while something flies: the same ones each time, and a period is as long as ever."""
    ends = []
    for _ in range(2):
        home.reset(seed=0)
        start = home.data.time
        lay(home.model, home.data, "orange", (3.2, 3.2, 1.7))
        for _ in range(30):
            home.act(Command())
        assert home.data.time - start == pytest.approx(30 * home.spec.period)
        ends.append(home.data.qpos.copy())
    assert np.array_equal(*ends)
