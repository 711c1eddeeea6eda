"""The policy server and its clients, live on 127.0.0.1."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from contextlib import ExitStack, suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from live_server import Counting, remote, serving, visit
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.page_headers_and_cookies import is_local
from skills.policies.policy import PolicyFailed
from skills.policy_access import read_token
from skills.policy_codec import FRAME_BYTES
from skills.policy_messages import PROTOCOL, Hello, PolicyResult, Problem, Reset, Step, Welcome, from_frame, to_frame
from skills.policy_server import PolicyServer, Service

TOKEN = "a-token-of-24-characters"


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


def ask(connection, message):
    connection.send(message if isinstance(message, bytes | str) else to_frame(message))
    return from_frame(connection.recv(timeout=60))


# ------------------------------------------------------------ what works


def test_the_policy_runs_over_there(server):
    with remote(server.url) as policy:
        assert (policy.welcome.policy, policy.welcome.actions) == ("counting", ["Go to"])
        assert policy.welcome.about == {"about": "first"}
        np.testing.assert_array_equal(policy.facts["mean"], [1.0, 2.0])
        assert policy.facts["rate"] == 4.0
        policy.reset({"text": "the apple"})
        picture = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
        for number in (1, 2, 3):
            output = policy.step({"picture": picture, "holding": True})
            assert (output["steps"], output["text"], output["holding"]) == (number, "the apple", True)
            np.testing.assert_array_equal(output["picture"], picture)
            assert output["picture"].dtype == np.uint8
        policy.reset({"text": "the bowl"})
        assert policy.step({})["steps"] == 1


def test_sessions_have_policies_of_their_own(server):
    with remote(server.url) as first, remote(server.url) as other:
        first.reset({"text": "a"})
        other.reset({"text": "b"})
        assert [first.step({})["steps"], first.step({})["steps"], other.step({})["steps"]] == [1, 2, 1]
        assert (first.step({})["text"], other.step({})["text"]) == ("a", "b")


def test_health_needs_no_websocket_and_counts_sessions():
    with serving(token=TOKEN) as server, remote(server.url, TOKEN) as policy:
        policy.reset({"text": "a"})
        policy.step({})
        address = policy.url.replace("ws", "http", 1) + "/healthz"
        health = json.loads(urllib.request.urlopen(address, timeout=60).read())
    assert health == {"status": "ok", "policy": "counting", "protocol": PROTOCOL, "sessions": 1, "decisions": 1}


# ------------------------------------------------------------ problems are reported, and the server stays


def test_a_policy_that_fails_gives_its_reason_and_goes_on(server):
    with remote(server.url) as policy:
        with pytest.raises(PolicyFailed, match=r"^no such thing$"):
            policy.reset({"text": "impossible"})
        policy.reset({"text": "a"})
        with pytest.raises(PolicyFailed, match=r"^the thing is out of sight$"):
            policy.step({"fail": True})
        with pytest.raises(PolicyFailed, match="ZeroDivisionError") as excinfo:
            policy.step({"crash": True})
        assert "Traceback" not in str(excinfo.value) and "a bug" not in str(excinfo.value)
        with pytest.raises(PolicyFailed, match="CodecError"):
            policy.step({"odd": True})
        with pytest.raises(PolicyFailed, match="cannot be sent"):
            policy.step({"odd": np.array([1j])})
        for odd in (np.array([0.1, np.nan]), float("inf")):
            with pytest.raises(PolicyFailed, match="gives a waypoint that is not finite"):
                policy.step({"waypoint": odd})
        assert policy.step({})["steps"] == 3


def test_debug_tells_tracebacks():
    with serving(debug=True) as server, remote(server.url) as policy:
        policy.reset({"text": "a"})
        with pytest.raises(PolicyFailed, match="a bug"):
            policy.step({"crash": True})


def test_the_log_has_what_the_client_does_not_get():
    lines: list[str] = []
    with serving(tell=lines.append) as server, remote(server.url) as policy:
        policy.reset({"text": "a"})
        with pytest.raises(PolicyFailed):
            policy.step({"crash": True})
    assert any("ZeroDivisionError: a bug" in line for line in lines)


def test_a_policy_that_can_not_be_made_is_no_riddle():
    class Broken(Counting):
        def policy(self):
            raise MemoryError("no room")

    lines: list[str] = []
    with serving(skills=Broken(), tell=lines.append) as server:
        with pytest.raises(InfrastructureError, match="unexpected MemoryError"):
            visit(server.url)
        assert server._sessions == 0
    assert any("no room" in line for line in lines)


def test_a_message_at_the_wrong_time(server):
    with connect(server.url) as connection:
        assert isinstance(ask(connection, Hello(PROTOCOL, "0")), Welcome)
        assert ask(connection, Hello(PROTOCOL, "0")).sort == "request"
        assert ask(connection, PolicyResult(1, {}, 0.0)).sort == "request"
        assert ask(connection, Step(1, {})).sort == "internal"
        assert isinstance(ask(connection, Reset(2, {"text": "a"})), PolicyResult)
        assert ask(connection, Step(3, {})).result["steps"] == 1
    with connect(server.url) as connection:
        assert ask(connection, Step(1, {})).sort == "request"
        with pytest.raises(ConnectionClosed):
            connection.recv(timeout=60)


def test_another_version_is_refused_in_words(server):
    with connect(server.url) as connection:
        answer = ask(connection, Hello(PROTOCOL + 1, "9"))
        assert (answer.sort, answer.number) == ("version", -1)
        assert f"version {PROTOCOL + 1}" in answer.message
        with pytest.raises(ConnectionClosed):
            connection.recv(timeout=60)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=st.one_of(st.binary(max_size=300), st.text(max_size=50)), data=st.data())
def test_malformed_frames_are_answered_and_the_session_goes_on(server, junk, data):
    frame = bytearray(to_frame(Step(1, {"picture": np.zeros((4, 4, 3), np.uint8)})))
    frame[data.draw(st.integers(0, 20))] ^= data.draw(st.integers(1, 255))
    with connect(server.url) as connection:
        assert isinstance(ask(connection, Hello(PROTOCOL, "0")), Welcome)
        assert isinstance(ask(connection, junk), Problem)
        assert isinstance(ask(connection, bytes(frame)), Problem | PolicyResult)
        assert isinstance(ask(connection, Reset(2, {"text": "a"})), PolicyResult)
        assert ask(connection, Step(3, {})).result["steps"] == 1
    with connect(server.url) as connection:
        answer = ask(connection, junk)
        assert isinstance(answer, Problem)


def test_a_frame_that_is_too_large_ends_the_session_and_not_the_server(server):
    with connect(server.url) as connection:
        ask(connection, Hello(PROTOCOL, "0"))
        with suppress(ConnectionClosed):  # it may be closed before all is sent
            connection.send(bytes(FRAME_BYTES + 1))
        with pytest.raises(ConnectionClosed):
            connection.recv(timeout=60)
    with remote(server.url) as policy:
        policy.reset({"text": "a"})


@pytest.mark.parametrize("junk", [b"", b"\x00" * 100, b"GET / HTTP/1.1\r\n\r\n", b"POST /healthz HTTP/1.1\r\n\r\n"])
def test_what_is_no_websocket_does_no_harm(server, junk):
    host, port = server.url.removeprefix("ws://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as stranger:
        stranger.sendall(junk)
    with remote(server.url) as policy:
        policy.reset({"text": "a"})
        assert policy.step({})["steps"] == 1


def test_a_client_that_is_cut_off_leaves_nothing_behind(server):
    with remote(server.url) as policy:
        policy.reset({"text": "a"})
        policy._wire.cut()
    until = time.monotonic() + 5
    while server._sessions and time.monotonic() < until:
        time.sleep(0.01)
    assert server._sessions == 0


def test_only_so_many_sessions():
    with serving(sessions=1) as server:
        with remote(server.url), pytest.raises(InfrastructureError, match="1 sessions, as many"):
            visit(server.url)
        until = time.monotonic() + 5
        while server._sessions and time.monotonic() < until:
            time.sleep(0.01)
        with remote(server.url) as policy:
            policy.reset({"text": "a"})


# ------------------------------------------------------------ who may come


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.0.0.2", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)],
)
def test_strangers_need_a_token(host, local):
    assert is_local(host) is local
    if local:
        PolicyServer(Service(name="counting", skills=Counting(), host=host))
    else:
        with pytest.raises(BadInput, match="needs a token"):
            PolicyServer(Service(name="counting", skills=Counting(), host=host))
    PolicyServer(Service(name="counting", skills=Counting(), host=host, token=TOKEN))


def test_a_token_comes_from_the_environment_and_is_no_joke(monkeypatch):
    monkeypatch.delenv("HOMIE_TEST_TOKEN", raising=False)
    assert read_token("HOMIE_TEST_TOKEN") == ""
    monkeypatch.setenv("HOMIE_TEST_TOKEN", f" {TOKEN}\n")
    assert read_token("HOMIE_TEST_TOKEN") == TOKEN
    for wrong in ("short", "with a blank in the middle", "señor-with-an-accent"):
        monkeypatch.setenv("HOMIE_TEST_TOKEN", wrong)
        with pytest.raises(BadInput, match="at least 16"):
            read_token("HOMIE_TEST_TOKEN")


def test_the_token_opens_and_nothing_else_does():
    with serving(token=TOKEN, host="0.0.0.0") as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        with remote(url, TOKEN) as policy:
            policy.reset({"text": "a"})
        for wrong in ("", TOKEN[:-1], TOKEN + "x", "x" * 24):
            with pytest.raises(BadInput, match="token"):
                visit(url, wrong)
        with pytest.raises(InvalidStatus) as excinfo:
            connect(url, additional_headers={"Authorization": TOKEN}).close()
        assert excinfo.value.response.status_code == 401
        assert TOKEN not in repr(server.service)


def test_a_web_page_can_not_come_in(server):
    with pytest.raises(InvalidStatus) as excinfo:
        connect(server.url, origin="http://example.org").close()
    assert excinfo.value.response.status_code == 403


# ------------------------------------------------------------ a server that is lost


def test_an_idle_session_ends_and_the_next_attempt_has_a_new_one():
    with serving(idle_seconds=0.2) as server, remote(server.url) as policy:
        policy.reset({"text": "a"})
        time.sleep(0.6)
        policy.reset({"text": "b"})
        assert policy.step({})["text"] == "b"
        time.sleep(0.6)
        with pytest.raises(PolicyFailed, match=r"lost.*idle for 0\.2 s"):
            policy.step({})
        with pytest.raises(PolicyFailed, match="lost"):
            policy.step({})
        policy.reset({"text": "c"})
        assert policy.step({})["steps"] == 1


def test_a_late_answer_fails_the_attempt_in_time_and_is_never_taken_for_the_next():
    with serving() as server, remote(server.url, reply_seconds=0.5) as policy:
        policy.reset({"text": "a"})
        start = time.monotonic()
        with pytest.raises(PolicyFailed, match=r"not answered for 0\.5 s"):
            policy.step({"sleep": 1.0})
        assert time.monotonic() - start < 0.95
        time.sleep(0.6)
        policy.reset({"text": "b"})
        assert policy.step({}) == {"steps": 1, "text": "b"}


def test_a_server_that_is_gone_for_good_is_an_infrastructure_error():
    with ExitStack() as running:
        server = running.enter_context(serving())
        with remote(server.url) as policy:
            policy.reset({"text": "a"})
            running.close()
            with pytest.raises(PolicyFailed, match="lost"):
                policy.step({})
            with pytest.raises(InfrastructureError, match="lost and cannot be reached again"):
                policy.reset({"text": "b"})
        with pytest.raises(InfrastructureError, match=r"no policy server at ws://127.0.0.1:\d+: .*homie serve policy"):
            visit(policy.url)


@pytest.mark.parametrize("about", ["first", "second"])
def test_a_server_that_comes_back_is_found_again_if_it_is_the_same(about):
    with ExitStack() as running:
        server = running.enter_context(serving())
        with remote(server.url, reconnect_seconds=5.0) as policy:
            policy.reset({"text": "a"})
            running.close()
            with serving(about, port=int(policy.url.rpartition(":")[2])):
                with pytest.raises(PolicyFailed, match="lost"):
                    policy.step({})
                if about == "first":
                    policy.reset({"text": "b"})
                    assert policy.step({})["steps"] == 1
                else:
                    with pytest.raises(InfrastructureError, match="another policy or checkpoint"):
                        policy.reset({"text": "b"})


@pytest.mark.parametrize(
    "url",
    ["", "ws://", "ws://:1", "127.0.0.1:8765", "http://127.0.0.1", "ws://127.0.0.1:99999", "ws://[::1", "ws://a:b"],
)
def test_an_address_that_is_none(url):
    with pytest.raises(BadInput, match="ws://HOST:PORT"):
        visit(url)


def test_a_port_where_something_else_listens():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"ws://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        with pytest.raises(InfrastructureError, match=r"not answered for 0\.5 s"):
            visit(url, connect_seconds=0.5)
        assert time.monotonic() - start < 3


def test_a_port_that_is_taken(server):
    port = int(server.url.rpartition(":")[2])
    with pytest.raises(InfrastructureError, match=r"Cannot listen.*Try another --port"), serving(port=port):
        pass


def test_an_address_that_is_not_this_machines():
    nowhere = {"host": "256.1.1.1", "token": "a" * 24}
    with pytest.raises(BadInput, match=r"Cannot listen at 256\.1\.1\.1: .* such address.*--host"), serving(**nowhere):
        pass
