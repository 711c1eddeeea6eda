"""Policies of others at work: servers of theirs move the Panda, clients of theirs ask a server of ours."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import httpx2
import numpy as np
import pytest

from tests.skills.dialects import dialect_servers as servers  # first: it makes the packages of others importable  # isort: skip
from openpi_client.websocket_client_policy import WebsocketClientPolicy
from vla_eval import specs
from vla_eval.connection import Connection
from vla_eval.protocol import Message, MessageType, pack_message, unpack_message
from vla_eval.protocol.messages import make_hello_payload
from waiting import until
from websockets.sync.server import ServerConnection, serve

import homie
from homie.envs.mujoco.table.table_scene import FOOT
from homie.kernel.errors import BadInput, InfrastructureError
from skills.dialects.gr00t import Gr00tPolicy, Gr00tSettings
from skills.dialects.hand import BEHIND, TOOL, Hand
from skills.dialects.layouts import LAYOUTS, Layout
from skills.dialects.openpi import OpenPiPolicy, OpenPiSession, OpenPiSettings
from skills.dialects.vla_eval import VlaEvalPolicy, VlaEvalSession, VlaEvalSettings
from skills.dialects.xpolicylab import XPolicyLabPolicy, XPolicyLabSettings
from skills.policies.motions import CONVENTIONS, Motion, rotation_matrix
from skills.policies.policy import PolicyFailed, PolicySet
from tests.skills.server import live_server

SEED = 22
"""Its task: a cylinder into a container."""
SEEN = {
    "primary": np.zeros((30, 40, 3), np.uint8),
    "wrist": np.zeros((30, 40, 3), np.uint8),
    "position": np.array([0.5, 0.1, 0.9]),
    "rotation": np.eye(3),
    "base": np.zeros(3),
    "fingers": 0.06,
    "opening": 0.75,
}
TIMES = {"connect_seconds": 5.0, "reply_seconds": 5.0, "reconnect_seconds": 0.2, "wrist": ""}
DIALECTS: dict[str, tuple[Callable[..., Any], type[Any], type[Any], Any]] = {
    "openpi": (servers.openpi, OpenPiPolicy, OpenPiSettings, OpenPiSession),
    "vla-eval": (servers.vla_eval, VlaEvalPolicy, VlaEvalSettings, VlaEvalSession),
    "xpolicylab": (servers.xpolicylab, XPolicyLabPolicy, XPolicyLabSettings, None),
    "gr00t": (servers.gr00t, Gr00tPolicy, Gr00tSettings, None),
}
BOTH_SIDES = ("openpi", "vla-eval")
LAYOUT_OF = {"openpi": "libero", "vla-eval": "libero", "xpolicylab": "pose", "gr00t": "libero-gr00t"}
KEYS = {
    "openpi": ("observation/image", "observation/wrist_image"),
    "vla-eval": ("agentview", "wrist"),
    "xpolicylab": ("cam_head", "cam_wrist"),
    "gr00t": ("image", "wrist_image"),
}


@contextmanager
def table(skills: str, **settings: Any) -> Iterator[homie.Session]:
    options = {f"{skills.partition(':')[0]}.{name}": value for name, value in settings.items()}
    with homie.open(robot="franka:pick", seed=SEED, picture_size=64, skills=skills, skill_settings=options) as session:
        yield session


def knowing(frame: str = "world") -> tuple[servers.Knowing, str, str]:
    """A policy that knows where the task's thing and container are, and what they are called.

    Args:
        frame: Of the state that it is given.
    """
    with homie.open(robot="franka:pick", seed=SEED, picture_size=64) as session:
        world = session.world_state()
    thing, container = world.conditions[0].condition["in"]
    foot = np.array([FOOT[0], FOOT[1], 0.0]) if frame == "base" else np.zeros(3)
    at = np.array(world.objects[thing].position) - foot + np.array([0.0, 0.0, BEHIND])
    into = np.array(world.fixed[container].position) - foot
    names = [name.replace("_", " ") for name in (thing, container)]
    places = {f"pick up the {names[0]}": at, f"put the {names[0]} in the {names[1]}": into + np.array([0.0, 0.0, 0.08])}
    return servers.Knowing(places), names[0], names[1]


@contextmanager
def client(dialect: str, policy: servers.Knowing, server: Mapping[str, Any], /, **settings: Any) -> Iterator[Any]:
    start, make, model, _ = DIALECTS[dialect]
    with start(policy, **server) as (url, _):
        there = make(url, model(**{"layout": LAYOUT_OF[dialect], **TIMES, "wrist": "wrist", **settings}))
        try:
            yield there
        finally:
            there.close()


# ------------------------------------------------------------ our client, their server


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_server_of_theirs_does_the_task_on_the_table(dialect):
    policy, thing, container = knowing(LAYOUTS[LAYOUT_OF[dialect]].state)
    settings = {"layout": LAYOUT_OF[dialect]}
    with DIALECTS[dialect][0](policy) as (url, server), table(f"{dialect}:{url}", **settings) as session:
        for action, names in (("Pick", (thing,)), ("Put", (thing, container))):
            record = session.call(action, *names)
            assert record.feedback.ok, record.feedback.message
        assert session.world_state().success
    assert policy.texts == list(policy.places)
    first = policy.seen[0]
    pictures = {"vla-eval": "images", "xpolicylab": "vision", "gr00t": "video"}.get(dialect)
    pictures = {key: first[pictures][key] if pictures else first[key] for key in KEYS[dialect]}
    size = LAYOUTS[LAYOUT_OF[dialect]].picture_size
    for picture in pictures.values():
        image = picture["color"] if dialect == "xpolicylab" else np.squeeze(picture)
        assert image.shape == (size, size, 3) and image.dtype == np.uint8
    if dialect == "xpolicylab":  # in the middle of half a turn about x, and the share that the hand is open
        pose, grip = first["state"]["ee_pose"], first["state"]["ee_joint_state"]
        assert np.abs(pose[3:]) == pytest.approx([0.0, 1.0, 0.0, 0.0], abs=0.01) and grip == pytest.approx(
            [1.0], abs=0.01
        )
        assert server.kinds[:3] == ["hello", "reset", "infer"]
        until(lambda: server.kinds[-2:] == ["trial_end", "close"])  # it may still be reading
        return
    if dialect == "gr00t":
        assert set(server.endpoints) == {"get_modality_config", "reset", "get_action"}  # it is never killed
        state = np.concatenate([first["state"][name][0, 0] for name in servers.LIBERO_NAMES])
    else:
        state = first["states" if dialect == "vla-eval" else "observation/state"]
    # The hand of LIBERO at the start of an episode points down too: half a turn about x, both fingers 4 cm out.
    assert state[3:] == pytest.approx([np.pi, 0.0, 0.0, 0.04, -0.04], abs=0.01)


@pytest.mark.slow
def test_a_server_of_behavior_does_it_too():
    policy, thing, _ = knowing()
    with (
        servers.openpi(policy, behavior=True) as (url, server),
        table(f"openpi:{url}", layout="libero", dialect="behavior") as session,
    ):
        assert session.call("Pick", thing).feedback.ok
    assert server.resets == 1 and policy.seen[0]["__action_chunk_size__"] == 5


@pytest.mark.slow
def test_a_slow_server_that_is_asked_ahead_of_time_does_it_too():
    policy, thing, _ = knowing()
    with servers.openpi(policy, delay=0.1) as (url, _), table(f"openpi:{url}", layout="libero", ahead=6) as session:
        assert session.call("Pick", thing).feedback.ok


def test_actions_of_behavior_are_one_where_a_server_has_no_chunks():
    policy = servers.Knowing({"pick up the cube": np.array([0.6, 0.0, 0.8])})
    with client("openpi", policy, {"behavior": True}, dialect="behavior", execute=1) as there:
        there.reset({"text": "pick up the cube"})
        assert len(there.step(SEEN)["opening"]) == 1 and "__action_chunk_size__" not in policy.seen[0]


def test_a_robot_of_behavior_is_refused_by_its_numbers():
    policy = servers.Knowing({"pick up the cube": np.array([0.6, 0.0, 0.8])})
    policy.chunk = lambda text, state: np.zeros((10, 23), np.float32)  # type: ignore[method-assign]
    with client("openpi", policy, {"behavior": True}, dialect="behavior") as there:
        there.reset({"text": "pick up the cube"})
        with pytest.raises(PolicyFailed, match=r"its actions are \(5, 23\), and rows of 7 finite numbers are taken"):
            there.step(SEEN)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_late_answer_is_never_taken_for_the_next(dialect):
    policy = servers.Knowing({"pick up the cube": np.array([0.6, 0.0, 0.8])})
    with client(dialect, policy, {"delay": 0.6}, reply_seconds=0.2, reconnect_seconds=5.0) as there:
        there.reset({"text": "pick up the cube"})
        with pytest.raises(PolicyFailed, match=r"not answered for 0\.\d+ s"):
            there.step(SEEN)
        with pytest.raises(PolicyFailed, match="connection to the policy server is lost"):
            there.step(SEEN)
        time.sleep(0.7)
        there.reset({"text": "pick up the cube"})  # in a new session
        there._deadlines = OpenPiSettings(reply_seconds=5.0).deadlines()
        far = {**SEEN, "position": np.array([0.9, 0.0, 0.8])}
        ahead = there.step(far)["translation"][0, 0] - (0.9 if dialect == "xpolicylab" else 0.0)
        assert ahead < 0.0  # not what was asked for before, which was ahead


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_session_ends_in_order_while_another_thread_waits_for_an_answer(dialect):
    """As an attempt does that asks ahead of time."""
    policy = servers.Knowing({"pick up the cube": np.array([0.6, 0.0, 0.8])})
    start, make, model, _ = DIALECTS[dialect]
    settings = model(layout=LAYOUT_OF[dialect], **{**TIMES, "wrist": "wrist"})
    with start(policy, delay=0.02) as (url, _), ThreadPoolExecutor(1) as asking:
        for number in range(20):
            there = make(url, settings)
            there.reset({"text": "pick up the cube"})
            answer = asking.submit(there.step, SEEN)
            time.sleep(0.0015 * number)
            there.close()
            with suppress(PolicyFailed):
                assert "translation" in answer.result(timeout=60)


def test_an_answer_to_an_earlier_observation_is_dropped():
    """By a server that repeats its last answer before the one that is asked for."""

    def session(socket: ServerConnection) -> None:
        last: list[Message] = []
        for frame in socket:
            request = unpack_message(frame)
            if request.type is MessageType.HELLO:
                socket.send(pack_message(Message(MessageType.HELLO, make_hello_payload(), request.seq)))
            elif request.type is MessageType.OBSERVATION:
                ahead = np.array([1.0 + len(last), 0, 0, 0, 0, 0, 1], np.float32)
                last.append(Message(MessageType.ACTION, {"actions": ahead}, request.seq))
                for message in last[-2:]:
                    socket.send(pack_message(message))

    with serve(session, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        policy = VlaEvalPolicy(url, VlaEvalSettings(layout="libero", **TIMES))
        policy.reset({"text": "pick up the cube"})
        moved = [float(policy.step(SEEN)["translation"][0, 0]) for _ in range(3)]
        policy.close()
        server.shutdown()
        thread.join()
    assert moved == pytest.approx([0.05, 0.10, 0.15])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_a_server_says_went_wrong_fails_the_attempt(dialect):
    with client(dialect, servers.Knowing({}), {}) as there:
        there.reset({"text": "dance"})
        with pytest.raises(PolicyFailed, match=r"on the policy server: .*KeyError: 'dance'"):
            there.step(SEEN)


@pytest.mark.parametrize(
    ("dialect", "other"),
    [("openpi", "vla-eval"), ("vla-eval", "openpi"), ("xpolicylab", "openpi"), ("openpi", "xpolicylab")],
)
def test_a_server_of_the_other_dialect_is_none(dialect, other):
    with DIALECTS[other][0](servers.Knowing({})) as (url, _):
        make, model = DIALECTS[dialect][1:3]
        with pytest.raises((InfrastructureError, BadInput), match=f"policy server at {url}|speak the dialect"):
            make(url, model(**{**TIMES, "connect_seconds": 1.0}))


def test_a_server_of_gr00t_that_is_not_there_and_one_that_wants_a_token(monkeypatch):
    with pytest.raises(InfrastructureError, match=r"no policy server at tcp://127\.0\.0\.1:9: it has not answered for"):
        Gr00tPolicy("tcp://127.0.0.1:9", Gr00tSettings(**{**TIMES, "connect_seconds": 0.2}))
    with pytest.raises(BadInput, match="is not the address of a policy server: give tcp://HOST:PORT"):
        Gr00tPolicy("ws://127.0.0.1:9", Gr00tSettings(**TIMES))
    with servers.gr00t(servers.Knowing({}), token="a-token-of-a-test") as (url, _):
        with pytest.raises(BadInput, match="wants another token"):
            Gr00tPolicy(url, Gr00tSettings(**TIMES))
        monkeypatch.setenv("HOMIE_POLICY_TOKEN", "a-token-of-a-test")
        Gr00tPolicy(url, Gr00tSettings(layout="libero-gr00t", **{**TIMES, "wrist": "wrist"})).close()


# ------------------------------------------------------------ conventions


def test_a_server_that_says_nothing_of_its_numbers_needs_a_layout():
    with servers.openpi(servers.Knowing({}), {"reset_pose": [0, 1]}) as (url, _):
        with pytest.raises(
            BadInput, match=r"does not say what its numbers mean .*openpi\.layout=NAME.*libero or metric"
        ):
            OpenPiPolicy(url, OpenPiSettings(**TIMES))
        with pytest.raises(BadInput, match="There is no layout 'liberro': did you mean 'libero'"):
            OpenPiPolicy(url, OpenPiSettings(layout="liberro", **TIMES))


@pytest.mark.parametrize(
    ("conventions", "message"),
    [
        ({"rotation": "euler-xyz"}, "says 'euler-xyz' for 'rotation', and here it is 'rotation-vector': give"),
        ({"gripper": "open-is-1"}, r"`--skill-option openpi\.gripper=open-is-1`"),
        ({"position": "absolute"}, "says 'absolute' for 'position', and here it is 'delta'"),
        ({"position": "relative"}, "says 'relative' for 'position', and"),
        ({"rate": 10}, "says '10' for 'rate', and here it is '20.0'"),
        ({"picture_size": 256}, "'picture_size'"),
        ({"channels": "bgr"}, "'channels'"),
        ({"pictures": "upright"}, "says 'upright' for 'pictures', and here it is 'mirrored'"),
        ({"state": "base"}, "says 'base' for 'state', and here it is 'world'"),
    ],
)
def test_conventions_that_contradict_are_refused_before_any_command(conventions, message):
    with servers.openpi(servers.Knowing({}), {"conventions": conventions}) as (url, _):
        with pytest.raises(BadInput, match=message), table(f"openpi:{url}", layout="libero", **TIMES):
            pass
        if conventions != {"position": "relative"}:
            OpenPiPolicy(url, OpenPiSettings(**{"layout": "libero", **conventions, **TIMES})).close()


def test_what_a_server_of_xpolicylab_says_of_itself_is_compared_too():
    with servers.xpolicylab(servers.Knowing({}), {"conventions": {"gripper": "open-is-0"}}) as (url, _):
        with pytest.raises(BadInput, match=r"says 'open-is-0' for 'gripper'.*`--skill-option xpolicylab\.gripper="):
            XPolicyLabPolicy(url, XPolicyLabSettings(layout="pose", **TIMES))
        there = XPolicyLabPolicy(url, XPolicyLabSettings(layout="pose", gripper="open-is-0", **TIMES))
        assert there.layout.grip(1.0) == 0.0 and there.layout.position == "absolute"
        there.close()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"rotation": specs.ROTATION_EULER}, "says 'euler-xyz' for 'rotation'"),
        ({"rotation": specs.ROTATION_QUAT}, "says 'quaternion-xyzw' for 'rotation'"),
        ({"gripper": specs.GRIPPER_CLOSE_NEG}, "says 'close-is-minus-1' for 'gripper'"),
        ({"position": specs.POSITION_ABSOLUTE}, "says 'absolute' for 'position'"),
        ({"base_motion": specs.BASE_MOTION}, "gives a 'base_motion'"),
    ],
)
def test_the_specs_of_vla_eval_are_compared(spec, message):
    with servers.vla_eval(servers.Knowing({}), spec) as (url, _), pytest.raises(BadInput, match=message):
        VlaEvalPolicy(url, VlaEvalSettings(layout="libero", **TIMES))


@pytest.mark.parametrize(
    ("modalities", "message"),
    [
        (
            {"action": {"modality_keys": ["left_arm", "gripper"]}},
            "has a 'left_arm' in 'action', and Homie takes gripper",
        ),
        ({"action": {"modality_keys": ["x", "y", "z", "gripper"]}}, "gives no 'roll', which Homie needs"),
        ({"state": {"modality_keys": ["waist"]}}, "has a 'waist' in 'state', and Homie gives gripper, pitch"),
        ({"video": {"modality_keys": ["ego_view"]}}, r"has a 'ego_view' in 'video'.*`gr00t\.image_key`"),
        ({"video": {"delta_indices": [-1, 0]}}, "wants a history in 'video', and Homie keeps none"),
    ],
)
def test_the_modalities_of_gr00t_are_compared(modalities, message):
    with servers.gr00t(servers.Knowing({}), modalities) as (url, _), pytest.raises(BadInput, match=message):
        Gr00tPolicy(url, Gr00tSettings(layout="libero-gr00t", **{**TIMES, "wrist": "wrist"}))


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (
            [{"arm_joint_state": np.zeros(7), "ee_joint_state": np.zeros(1)}],
            "no 'ee_pose' but arm_joint_state, ee_joint",
        ),
        ([{"ee_pose": np.zeros(7)}], "no 'ee_joint_state'.*action type ee"),
        ([{"ee_pose": np.zeros(7), "ee_joint_state": np.zeros(1)}], "a quaternion of its actions is zero"),
        ([{"ee_pose": np.ones(6), "ee_joint_state": np.zeros(1)}], r"are \(1, 7\), and rows of 8 finite"),
        ([{"ee_pose": ["a"] * 7, "ee_joint_state": np.zeros(1)}], "no rows of numbers"),
        ([], "no mappings"),
    ],
)
def test_actions_of_xpolicylab_that_are_no_poses_fail_the_attempt(actions, message):
    with (
        client("xpolicylab", servers.Knowing({}), {}) as there,
        servers.xpolicylab(servers.Knowing({})) as (url, server),
    ):
        server.actions = actions
        other = XPolicyLabPolicy(url, XPolicyLabSettings(layout="pose", **TIMES))
        other.reset({"text": "pick up the cube"})
        with pytest.raises(PolicyFailed, match=message):
            other.step(SEEN)
        other.close()
        there.close()


@pytest.mark.parametrize("rotation", ["rotation-vector", "quaternion-wxyz", "quaternion-xyzw"])
def test_poses_are_those_of_the_state_in_every_rotation(rotation):
    turned = rotation_matrix(np.array([0.3, -1.2, 0.4]))
    hand = Hand(position=np.array([0.5, -0.1, 0.7]), rotation=turned, fingers=0.03, opening=0.25)
    pose = hand.pose().astype(float)
    numbers = {
        "rotation-vector": hand.libero()[3:6],
        "quaternion-wxyz": pose[3:],
        "quaternion-xyzw": np.roll(pose[3:], -1),
    }
    layout = Layout(position="absolute", rotation=rotation, metres=1.0, radians=1.0, gripper="open-is-1")
    row = np.array([*pose[:3], *numbers[rotation], layout.grip(hand.opening)])
    (motion,) = layout.motions(row)
    assert motion.translation == pytest.approx(hand.position) and motion.opening == pytest.approx(0.25)
    assert rotation_matrix(motion.rotation) == pytest.approx(hand.rotation, abs=1e-5)
    assert rotation_matrix(hand.libero()[3:6]) == pytest.approx(turned @ TOOL, abs=1e-5)


def test_the_state_of_libero_is_that_of_its_world_and_never_jumps():
    """Of a hand that points down, as it turns through half a turn about x."""
    states = []
    for tilt in np.linspace(-0.2, 0.2, 9):
        turned = rotation_matrix(np.array([np.pi + tilt, 0.0, 0.0])) @ rotation_matrix(np.array([0.0, tilt, 0.3]))
        facts = {**SEEN, "rotation": turned @ TOOL.T, "base": np.array([-0.6, 0.2, 0.0])}
        states.append(Hand.of(facts, in_world=True).libero())
        assert rotation_matrix(states[-1][3:6]) == pytest.approx(turned, abs=1e-5)
    assert states[4][:3] == pytest.approx([-0.1, 0.3, 0.9 + 0.0069], abs=1e-6), "further up than Homie's gripper"
    assert min(state[3] for state in states) > 2.0 and max(np.linalg.norm(state[3:6]) for state in states) > np.pi
    assert np.abs(np.diff(states, axis=0)).max() < 0.2
    turned_base = Hand.of({**SEEN, "base": np.array([1.0, 0.0, np.pi / 2])}, in_world=True)
    assert turned_base.position == pytest.approx([0.9, 0.5, 0.9])
    assert turned_base.rotation[:, 0] == pytest.approx([0.0, 1.0, 0.0])


def test_pictures_of_libero_have_left_and_right_exchanged():
    picture = np.zeros((8, 8, 3), np.uint8)
    picture[0, 0] = 255
    sent = {name: Layout(picture_size=8, pictures=name).picture(picture) for name in ("upright", "mirrored")}
    assert sent["upright"][0, 0].all() and sent["mirrored"][0, 7].all() and not sent["mirrored"][0, 0].any()


def test_poses_in_the_frame_of_the_world_are_those_of_the_state():
    """A server that answers with the pose that it has leaves the hand where it is, wherever the base is."""

    class Staying(servers.Knowing):
        def chunk(self, text, state):
            return np.array([[*state[:6], 0.0]], np.float32)

    settings = {"layout": "metric", "position": "absolute", "rotation": "rotation-vector", "state": "world"}
    with client("openpi", Staying({}), {}, **settings) as policy:
        policy.reset({"text": "stay"})
        facts = {**SEEN, "rotation": rotation_matrix(np.array([0.2, 1.3, 0.1])), "base": np.array([1.0, -2.0, 0.7])}
        (pose,) = Motion.several(policy.step(facts))
    assert pose.translation == pytest.approx(SEEN["position"], abs=1e-5)
    assert rotation_matrix(pose.rotation) == pytest.approx(facts["rotation"], abs=1e-5)


def test_a_mean_of_poses_is_refused():
    with servers.openpi(servers.Knowing({})) as (url, _), pytest.raises(BadInput, match=r"openpi\.overlap=mean"):
        OpenPiPolicy(url, OpenPiSettings(layout="pose", ahead=3, overlap="mean", **TIMES))


@pytest.mark.parametrize("layout", [LAYOUTS["libero"], LAYOUTS["metric"], LAYOUTS["libero-gr00t"]])
def test_actions_of_a_layout_are_the_motions_they_came_from(layout):
    motions = [
        Motion(np.array([0.01, -0.02, 0.03]), np.array([0.1, 0.2, -0.3]), opening, np.zeros(3))
        for opening in (0.0, 1.0, 0.25)
    ]
    for motion, again in zip(motions, layout.motions(layout.actions(motions)), strict=True):
        assert np.allclose(again.translation, motion.translation) and np.allclose(again.rotation, motion.rotation)
        assert again.opening == pytest.approx(motion.opening)


def test_actions_that_are_no_rows_of_seven_numbers_fail_the_attempt():
    nan, ragged = np.full((1, 7), np.nan), [[0.0] * 7, [0.0] * 6]
    texts, complexes, large = ["left"] * 7, np.full(7, 1j), [[0.0] * 6 + [10**400]]
    shapes = np.zeros((5, 8)), np.zeros((0, 7)), "left", None, [[1.0]]
    for actions in (*shapes, nan, np.full(7, -1e300), ragged, texts, np.array(texts), complexes, large, [{}] * 7):
        with pytest.raises(PolicyFailed, match="rows of 7 finite numbers"):
            LAYOUTS["libero"].motions(actions)


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        (np.full((10, 7), np.nan, np.float32), "its actions have the number nan"),
        (np.full((10, 7), -np.inf, np.float32), "its actions have the number -inf"),
        (np.zeros((10, 8), np.float32), r"its actions are \(10, 8\)"),
        ([["left"] * 7], r"its actions are \(0,\)"),
        (np.full((10, 7), 1e5, np.float32), "not done after 2 motions"),
    ],
)
def test_what_a_server_gives_that_no_robot_can_do_ends_the_subtask(actions, why):
    """Numbers over a limit are shortened, and what the arm cannot reach is left out."""
    policy, thing, _ = knowing()
    policy.chunk = lambda text, state: actions  # type: ignore[method-assign]
    with servers.openpi(policy) as (url, _), table(f"openpi:{url}", layout="libero", steps=2) as session:
        before = session.observe().body
        record = session.call("Pick", thing)
        after = session.observe().body
    assert not record.feedback.ok and re.search(why, record.attempts[-1].reason), record.attempts
    assert all(abs(after.joints[name] - value) < 0.5 for name, value in before.joints.items())


# ------------------------------------------------------------ their client, our server


class Echo:
    """A policy of ours that moves by how bright the picture is, and counts its steps."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.facts = {"rate": 5.0, "wrist": "wrist", **CONVENTIONS.facts(), **facts}
        self.goals: list[Any] = []

    def reset(self, goal: Any) -> None:
        if goal["text"] == "impossible":
            raise PolicyFailed("no such thing")
        self.goals.append(goal)
        self.steps = 0

    def step(self, inputs: Any) -> Any:
        self.steps += 1
        ahead = inputs["primary"].mean() / 255 * 0.05
        motions = [Motion(np.array([ahead, 0.0, 0.01 * self.steps]), np.array([0.0, 0.0, 0.25]), 0.0, np.zeros(3))] * 4
        return Motion.stack(motions) if "ahead" in self.facts else motions[0].to_dict()


class Echoing(PolicySet):
    name = "echo"
    actions = ("Pick",)

    def __init__(self, **facts: Any) -> None:
        self.given, self.created = facts, []

    def policy(self) -> Any:
        self.created.append(Echo(self.given))
        return self.created[-1]

    @classmethod
    def around(cls, policy: Any, spec: Any, kinematics: Any) -> list[Any]:
        return []

    def describe(self) -> dict[str, object]:
        return {}


WHITE, BLACK = np.full((8, 8, 3), 255, np.uint8), np.zeros((8, 8, 3), np.uint8)
STATE = np.array([0, 0, 0, 0, 0, 0, 0.02, -0.02], np.float32)


def request_with(prompt: str, picture: np.ndarray = WHITE) -> dict[str, Any]:
    return {
        "observation/image": picture,
        "observation/wrist_image": BLACK,
        "observation/state": STATE,
        "prompt": prompt,
    }


@pytest.mark.parametrize(("facts", "rows"), [({}, 1), ({"ahead": 2, "overlap": "newest"}, 4)])
def test_a_client_of_openpi_asks_our_server(facts, rows):
    skills = Echoing(**facts)
    with live_server.serving(skills=skills, dialect=OpenPiSession) as server:
        client = WebsocketClientPolicy(server.url)
        metadata = client.get_server_metadata()
        assert metadata["conventions"] == {**LAYOUTS["libero"].to_dict(), "rate": 5.0, "pictures": "upright"}
        assert metadata["observation"] == [
            "observation/image",
            "observation/wrist_image",
            "observation/state",
            "prompt",
        ]
        answer = client.infer(request_with("pick up the cube"))
        assert answer["actions"].shape == (rows, 7) and answer["actions"].dtype == np.float32
        assert answer["actions"][0] == pytest.approx([1.0, 0.0, 0.2, 0.0, 0.0, 0.5, 1.0])
        assert answer["server_timing"]["infer_ms"] > 0.0
        assert client.infer(request_with("pick up the cube", BLACK))["actions"][0, 2] == pytest.approx(0.4)  # goes on
        assert "prev_total_ms" in client.infer(request_with("put it down"))["server_timing"]
        assert [goal["text"] for goal in skills.created[-1].goals] == ["pick up the cube", "put it down"]
        assert skills.created[-1].goals[0]["gripper"] == pytest.approx(0.5)
        assert httpx2.get(server.url.replace("ws", "http") + "/healthz").text == "OK\n"
        with pytest.raises(RuntimeError, match="no picture 'observation/image'"):
            client.infer({**request_with("put it down"), "observation/image": np.zeros(3)})
        again = WebsocketClientPolicy(server.url)
        with pytest.raises(RuntimeError, match="no such thing"):
            again.infer(request_with("impossible"))


def test_a_client_of_openpi_brings_the_token_as_its_key():
    with live_server.serving(skills=Echoing(), dialect=OpenPiSession, token="a-token-of-a-test") as server:
        assert WebsocketClientPolicy(server.url, api_key="a-token-of-a-test").get_server_metadata()["policy"]
        with pytest.raises(Exception, match="401"):
            WebsocketClientPolicy(server.url, api_key="another-token-of-a-test")


def test_a_client_of_vla_eval_asks_our_server():
    skills = Echoing()

    async def play(url: str) -> None:
        async with Connection(url) as client:
            server = {key: specs.DimSpec.from_dict(spec) for key, spec in client.server_info["action_spec"].items()}
            observation_spec = {
                key: specs.DimSpec.from_dict(spec) for key, spec in client.server_info["observation_spec"].items()
            }
            libero = {
                "position": specs.POSITION_DELTA,
                "rotation": specs.ROTATION_AA,
                "gripper": specs.GRIPPER_CLOSE_POS,
            }
            assert (
                specs.check_specs(
                    server, libero, observation_spec, {"image": specs.IMAGE_RGB, "language": specs.LANGUAGE}
                )
                == []
            )
            observation = {"images": {"agentview": WHITE, "wrist": BLACK}, "states": STATE, "task_description": "pick"}
            for _ in range(2):
                await client.start_episode({"task": {"name": "pick"}})
                for step in (0.2, 0.4):
                    answer = await client.act(observation)
                    assert answer["actions"] == pytest.approx([1.0, 0.0, step, 0.0, 0.0, 0.5, 1.0])
                await client.end_episode({"metrics": {}})
            with pytest.raises(RuntimeError, match="no such thing"):
                await client.act({**observation, "task_description": "impossible"})
            with pytest.raises(RuntimeError, match="no 'task_description'"):
                await client.act({"images": {}})
            assert (await client.act(observation))["actions"].shape == (7,)

    with live_server.serving(skills=skills, dialect=VlaEvalSession) as server:
        asyncio.run(play(server.url))
        assert httpx2.get(server.url.replace("ws", "http") + "/health").json() == {"status": "ok"}
    assert len(skills.created[-1].goals) == 3


@pytest.mark.parametrize("dialect", BOTH_SIDES)
def test_our_client_and_our_server_agree_without_a_setting(dialect):
    _, make, model, session = DIALECTS[dialect]
    with live_server.serving(skills=Echoing(), dialect=session) as server:
        policy = make(server.url, model(**TIMES))
        policy.reset({"text": "pick up the cube"})
        (motion,) = Motion.several(policy.step({**SEEN, "primary": WHITE, "wrist": BLACK}))
        assert motion.translation == pytest.approx([0.05, 0.0, 0.01]) and motion.rotation[2] == pytest.approx(0.25)
        assert motion.opening == 0.0 and policy.facts["rate"] == 5.0
        policy.close()


@pytest.mark.parametrize("session", [OpenPiSession, VlaEvalSession])
def test_a_policy_that_moves_no_hand_cannot_be_served(session):
    with pytest.raises(BadInput, match=r"The policy of nomad gives no motions of a hand.*leave out --dialect"):
        session("nomad", Echo({"position": "waypoints"}))
