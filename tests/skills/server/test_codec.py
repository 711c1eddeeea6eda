"""Messages survive the wire; nothing but messages does."""

from __future__ import annotations

import msgpack
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skills import policy_codec as codec
from skills.policy_codec import CodecError, decode, encode
from skills.policy_messages import (
    PROTOCOL,
    Hello,
    PolicyResult,
    Problem,
    Reset,
    Step,
    Welcome,
    WrongVersion,
    from_frame,
    to_frame,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ARRAYS = hnp.arrays(
    st.sampled_from([np.dtype(name) for name in codec.TYPES] + [np.dtype(">f4"), np.dtype(">i2")]),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
)
LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | TEXT | ARRAYS
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))
NAMED = st.dictionaries(TEXT, LEAVES, max_size=4)


def are_same(first: object, other: object) -> bool:
    if isinstance(first, np.ndarray):
        assert isinstance(other, np.ndarray)
        native = first.dtype.newbyteorder("=") == other.dtype.newbyteorder("=")
        return native and first.shape == other.shape and np.array_equal(first, other, equal_nan=first.dtype.kind == "f")
    if isinstance(first, dict):
        assert isinstance(other, dict)
        return list(first) == list(other) and all(are_same(first[key], other[key]) for key in first)
    if isinstance(first, list):
        assert isinstance(other, list)
        return len(first) == len(other) and all(are_same(a, b) for a, b in zip(first, other, strict=True))
    return type(first) is type(other) and (first == other or (first != first and other != other))


@given(TREES)
@example(np.zeros((3, 0), np.uint8))
@example(np.arange(6.0)[::-2])
@example(np.asfortranarray(np.arange(6).reshape(2, 3)))
def test_what_is_sent_arrives(value):
    assert are_same(value, decode(encode(value)))


@given(number=st.integers(0, 2**40), named=NAMED, seconds=st.floats(0, 1e6))
def test_messages_arrive(number, named, seconds):
    for message in (Reset(number, named), Step(number, named), PolicyResult(number, named, seconds)):
        arrived = from_frame(to_frame(message))
        assert type(arrived) is type(message) and arrived.number == number
        sent = {name: getattr(message, name) for name in ("goal", "given", "result") if hasattr(message, name)}
        assert all(are_same(value, getattr(arrived, name)) for name, value in sent.items())


def test_hello_welcome_and_problem_arrive():
    welcome = Welcome(
        protocol=PROTOCOL,
        homie="0.1",
        policy="m3",
        actions=["Go to"],
        facts={"skills": "pick"},
        about={"pick": {"sha256": "ab"}},
        idle_seconds=600.0,
    )
    for message in (Hello(PROTOCOL, "0.1"), welcome, Problem(-1, "policy", "no", "NO_MAP")):
        assert from_frame(to_frame(message)) == message


def test_numbers_of_numpy_become_plain_and_arrays_can_be_written():
    arrived = decode(encode({"a": np.float32(0.5), "b": np.bool_(True), "c": (1, 2), "d": np.zeros(3)}))
    assert (arrived["a"], arrived["b"], arrived["c"]) == (0.5, True, [1, 2])
    arrived["d"][0] = 1.0


class Odd:
    """Something with no place on a wire."""


@pytest.mark.parametrize(
    "value",
    [
        np.array([Odd()], dtype=object),
        np.array([1 + 2j]),
        np.zeros(2, dtype="V4"),
        np.zeros(2, dtype=[("a", "f4")]),
        np.array(["text"]),
        np.array(["2026-11-21"], dtype="M8[D]"),
        np.zeros(2, dtype=np.longdouble),
        np.zeros((1,) * 9),
        Odd(),
        b"bytes",
        {1: "key"},
        {"a": {b"b": 1}},
        2**64,
        "\ud800",
        1j,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_place_is_refused_before_it_is_sent(value):
    with pytest.raises(CodecError):
        encode({"value": value})


def array(dtype: object, shape: object, content: bytes) -> bytes:
    header = msgpack.packb([dtype, shape])
    return msgpack.packb({"a": msgpack.ExtType(1, bytes([len(header)]) + header + content)})


@pytest.mark.parametrize(
    "data",
    [
        array("|O8", [1], b"12345678"),
        array("<c8", [1], b"12345678"),
        array("|V4", [1], b"1234"),
        array("<U1", [1], b"1234"),
        array(">f4", [1], b"1234"),
        array("<f4", [2], b"1234"),
        array("<f4", [-1], b"1234"),
        array("<f4", [2**62, 4], b""),
        array("<f4", [0, -1], b""),
        array("<f4", [True], b"1234"),
        array("<f4", [1.0], b"1234"),
        array("<f4", 1, b"1234"),
        array("<f4", [1] * 9, b"1234"),
        array(["<f4"], [1], b"1234"),
        msgpack.packb({"a": msgpack.ExtType(1, b"")}),
        msgpack.packb({"a": msgpack.ExtType(1, b"\xc1")}),
        msgpack.packb({"a": msgpack.ExtType(1, b"\x09\x92")}),
        msgpack.packb({"a": msgpack.ExtType(1, b"\x01\xc1")}),
        msgpack.packb({"a": msgpack.ExtType(2, b"abc")}),
        msgpack.packb({"a": msgpack.Timestamp(0)}),
        msgpack.packb({"a": b"bytes"}, use_bin_type=True),
        msgpack.packb({1: 2}),
        msgpack.packb([]) + b"more",
        b"",
        b"\xc1",
        b"\xdf\xff\xff\xff\xff",  # a mapping of four thousand million entries
        b"\xc6\xff\xff\xff\xffx",  # four gigabytes, of which one is there
        b"\x91" * 5000,
        b"\x91" * 40 + b"\xc0",
        b"\xa2\xff\xfe",
    ],
    ids=lambda value: type(value).__name__,
)
def test_bytes_that_are_no_message_are_refused(data):
    with pytest.raises(CodecError):
        decode(data)


def test_bounds(monkeypatch):
    monkeypatch.setattr(codec, "FRAME_BYTES", 1000)
    with pytest.raises(CodecError, match="too large"):
        encode({"a": np.zeros(1000, np.uint8)})
    with pytest.raises(CodecError, match="too large"):
        decode(b"\x00" * 1001)
    nested: object = 1
    for _ in range(codec.DEEPEST + 1):
        nested = [nested]
    with pytest.raises(CodecError, match="deeper"):
        encode(nested)


@settings(max_examples=400)
@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_or_refused(data):
    try:
        value = decode(data)
    except CodecError:
        return
    assert are_same(value, decode(encode(value)))


@settings(max_examples=400)
@given(st.data(), NAMED)
def test_damaged_frames_are_read_or_refused(data, named):
    frame = bytearray(to_frame(Step(7, named)))
    for _ in range(data.draw(st.integers(1, 4))):
        where = data.draw(st.integers(0, len(frame) - 1))
        frame[where] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(frame)))
    for damaged in (bytes(frame), bytes(frame[:cut])):
        try:
            from_frame(damaged)
        except CodecError:
            continue


@pytest.mark.parametrize(
    "content",
    [
        {},
        [],
        {"kind": "dance"},
        {"kind": ["step"]},
        {"kind": "step"},
        {"kind": "step", "number": "1", "given": {}},
        {"kind": "step", "number": True, "given": {}},
        {"kind": "step", "number": 1, "given": []},
        {"kind": "step", "number": 1, "given": {}, "more": 1},
    ],
)
def test_what_is_no_message_of_the_protocol_is_refused(content):
    with pytest.raises(CodecError):
        from_frame(encode(content))
    with pytest.raises(CodecError, match="binary"):
        from_frame("text")


def test_another_version_is_distinguished():
    with pytest.raises(WrongVersion, match="version 3"):
        from_frame(encode({"kind": "hello", "protocol": 3, "something": "new"}))
