"""The studio over real HTTP and websockets: who may, what is refused, and an episode from begin to export."""

from __future__ import annotations

import json

import pytest
from pages import Page, opened
from websockets.exceptions import ConnectionClosed, InvalidStatus

from homie.data.recording.takes import list_takes
from homie.runtime.runstore import read_steps
from tests.waiting import until


def test_only_the_address_that_was_printed_lets_a_browser_in_and_only_once(studio):
    assert studio.get("/")[0] == 401
    assert studio.get("/?token=" + "a" * 32)[0] == 401
    assert studio.get("/page.js")[0] == 401 and studio.get("/api/recordings")[0] == 401
    cookie = studio.enter()
    status, page, headers = studio.get("/", Cookie=cookie)
    assert status == 200 and b"Homie studio" in page
    assert "default-src 'none'" in headers["content-security-policy"] and headers["cache-control"] == "no-store"
    assert studio.get("/?" + studio.addresses[0].partition("?")[2])[0] == 401  # used
    assert len(studio.addresses) == 2 and studio.enter() == cookie  # a new one was printed
    assert studio.get("/", Cookie=cookie[:-1])[0] == 401


def test_other_sites_and_other_names_are_refused(studio):
    cookie, place = studio.enter(), studio.place
    assert studio.get("/api/runs", Cookie=cookie, Origin="http://evil.example")[0] == 403
    assert studio.get("/api/runs", Cookie=cookie, Host=f"evil.example:{place.partition(':')[2]}")[0] == 421
    assert studio.get("/api/runs", Cookie=cookie, Origin=f"http://{place}")[0] == 200
    for wrong in ({"cookie": ""}, {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": ""}):
        with pytest.raises(InvalidStatus) as excinfo, studio.connect(**{"cookie": cookie, **wrong}):
            pass
        assert excinfo.value.response.status_code == 403
    with studio.connect(cookie) as socket:
        Page(socket).wait("state")


@pytest.mark.parametrize(
    "path",
    [
        "/report?run=../../etc",
        "/report?run=..%2f..%2fetc",
        "/report?run=%2fetc",
        "/report?run=.",
        "/report",
        "/../homie/studio/app.py",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/templates/page.html",
        "/api/recordings/../../x",
    ],
)
def test_nothing_but_what_is_listed_is_served(studio, path):
    assert studio.get(path, Cookie=studio.enter())[0] == 404


def test_a_message_that_is_too_large_ends_its_page_and_nothing_else(studio):
    cookie = studio.enter()
    with studio.connect(cookie) as socket, studio.connect(cookie) as other:
        socket.send(json.dumps({"type": "line", "text": "x" * 70_000}))
        with pytest.raises(ConnectionClosed) as closed:
            Page(socket, paints=False).wait("never")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
        Page(other).wait("state")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"type": "dance"}',
        '{"type": "stick", "drive": 2}',
        '{"type": "stick", "drive": NaN}',
        "[" * 9000,
    ],
)
def test_what_is_no_message_is_refused_with_a_sentence(studio, text):
    with studio.connect(studio.enter()) as socket:
        page = Page(socket)
        socket.send(text)
        assert page.wait("refused")["text"].startswith("The page has sent what is not a message: ")
        page.wait("state")


def test_a_second_page_watches_and_may_only_stop(studio):
    cookie = studio.enter()
    with studio.connect(cookie) as second, studio.connect(cookie) as first:
        driver, watcher = Page(first), Page(second)
        driver.drive()
        watcher.say("control", hold=True)
        assert "Somebody else has the controls" in watcher.wait("refused")["text"]
        watcher.say("do", action="Go to", target="ball")
        assert "Somebody else has the controls" in watcher.wait("refused")["text"]
        watcher.say("stop")
        driver.say("control", hold=False)
        watcher.wait("role", lambda role: role["free"])
        watcher.say("line", text="forward 1")
        assert "take the controls first" in watcher.wait("refused")["text"]
        watcher.drive()
        driver.wait("role", lambda role: not role["free"])
    with studio.connect(cookie) as third:
        Page(third).drive()  # whoever leaves lets go


def test_controls_lock_on_a_picture_that_is_not_fresh(tmp_path):
    with opened(tmp_path, stale=0.3) as studio, studio.connect(studio.enter()) as socket:
        page = Page(socket, paints=False)
        page.drive()
        page.say("stick", drive=1.0)
        refused = page.wait("refused")["text"]
        assert "controls are locked" in refused
        assert page.wait("state")["pose"] == [0.0, 0.0, 0.0]


def test_a_hand_drives_and_lets_go_with_its_page(studio):
    cookie = studio.enter()
    with studio.connect(cookie) as socket:
        page = Page(socket)
        page.drive()
        page.say("stick", drive=0.5)
        moved = page.wait("state", lambda state: state["pose"][0] > 0.05)
        assert moved["recording"] == ""
    until(lambda: not studio.desk.stick.moves)


def test_an_episode_from_begin_to_export(studio):
    cookie = studio.enter()
    with studio.connect(cookie) as socket:
        page = Page(socket)
        page.drive()
        page.say("begin", task="put the ball in the box", record=True)
        name = page.wait("state", lambda state: state["recording"])["recording"]
        page.say("inspect", id=7, view="front", x=0.5, y=0.5)
        assert page.wait("things")["id"] == 7
        page.say("inspect", id=8, words="ball")
        assert ["Pick", "ball", ""] in page.wait("things")["things"][0]["subtasks"]
        assert page.do("Pick", "ball")["code"] == "D1"
        page.say("line", text="go to ball # it is too far away")
        assert page.wait("event", lambda event: event["kind"] == "feedback")["ok"]
        assert page.do("Pick", "ball")["ok"] and page.do("Go to", "box")["ok"] and page.do("Put", "ball", "box")["ok"]
        page.say("finish", mark="success")
        page.wait("state", lambda state: not state["recording"])
        page.say("note", kind="analysis", text="Nothing else is a ball.", round=3, recording=name)
        page.say("note", kind="remark", text="x", recording="../../etc")
        assert "There is no run '../../etc'" in page.wait("refused")["text"]
        page.say("begin", task="drive about")
        page.wait("state", lambda state: state["recording"])
        page.say("finish", discard=True)
        page.wait("state", lambda state: not state["recording"])
    newest, recorded = json.loads(studio.get("/api/recordings", Cookie=cookie)[1])
    assert newest["discarded"] and newest["mark"] == ""
    assert (recorded["name"], recorded["mark"], recorded["rounds"]) == (name, "success", 6)
    assert [note["text"] for note in recorded["notes"]] == ["success", "Nothing else is a ball."]
    assert studio.get("/api/export", Cookie=cookie)[1].decode() == f"{studio.recordings / name}\n"
    (take,) = [take for take in list_takes(studio.recordings) if take.mark]
    assert read_steps(take.episode)[1].decision.analysis == "it is too far away"
    status, report, _ = studio.get(f"/report?run={name}", Cookie=cookie)
    assert status == 200 and b"put the ball in the box" in report
    assert {"name": name, "kind": "run", "recorded": True} in json.loads(studio.get("/api/runs", Cookie=cookie)[1])


def test_a_page_shows_the_hand_and_the_view_from_outside_beside_the_planners_views(tmp_path):
    table = {"robot": "franka:stack", "skills": "arm", "detector": "simulated", "targets": "background"}
    with opened(tmp_path, **table) as studio, studio.connect(studio.enter()) as socket:
        page = Page(socket)
        views = page.wait("state")["views"]
        page.say("focus", view="outside")
        state = page.wait("state", lambda state: {*page.sizes} == {*views})
        assert {*state["views"]} == {*state["pointed"], "wrist", "outside"} and "outside" not in state["pointed"]
        width, height = page.sizes["outside"]
        assert width > height, "a picture of a scene"
        page.say("inspect", id=1, view="outside", x=0.5, y=0.5, words="")
        assert "There is no view 'outside'" in page.wait("event", lambda event: event["kind"] == "tell")["text"]
