"""Topic types for Cyclone DDS whose samples are plain CDR bytes, with the type description that it requires.

cyclonedds 11 refuses a topic type without a description and checks every incoming sample against it. So each type gets
its description from the message definition, and the bytes are written and parsed by rosbags (numpy, no Python code for
each element of an image).
"""

from __future__ import annotations

import functools
from typing import Any

from cyclonedds.idl import make_idl_struct
from cyclonedds.idl import types as idl

from ros_bridge.transport.dds.cdr_messages import ARRAY, BASE, NAME, Definitions
from ros_bridge.transport.dds.wire_names import type_name

SCALARS: dict[str, Any] = {
    "bool": bool,
    "byte": idl.uint8,
    "octet": idl.uint8,
    "char": idl.uint8,
    "string": str,
    "float32": idl.float32,
    "float64": idl.float64,
    **{f"{sign}int{bits}": getattr(idl, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
CALL_HEADER = {"client": idl.uint64, "sequence": idl.int64}
"""Header of a request and a response of a service in rmw_cyclonedds: the client, and the number of the call."""


class RawTypes:
    """The topic types of one distribution, each created once: that takes longer than opening a node."""

    def __init__(self, distro: str) -> None:
        self.definitions = Definitions(distro)
        self._structs: dict[tuple[str, bool], Any] = {}
        self._raw: dict[tuple[str, bool], Any] = {}

    def raw(self, kind: str, call: bool = False) -> Any:
        """Return the class of the samples of a type: bytes with their type. `call`: with the header of a service."""
        if (kind, call) not in self._raw:
            type_description = self._struct(kind, call).__idl__
            self._raw[kind, call] = type("Raw", (RawSample,), {"__idl__": type_description, "__slots__": ()})
        return self._raw[kind, call]

    def _struct(self, kind: str, call: bool) -> Any:
        if (kind, call) not in self._structs:
            fields = dict(CALL_HEADER) if call else {}
            fields |= {name: self._field(description) for name, description in self.definitions.fields(kind)}
            name = type_name(kind)
            self._structs[kind, call] = make_idl_struct(name, name.replace("::", "."), fields)
        return self._structs[kind, call]

    def _field(self, description: tuple[int, Any]) -> Any:
        sort, detail = int(description[0]), description[1]
        if sort == BASE:
            return SCALARS[detail[0]]
        if sort == NAME:
            return self._struct(detail, False)
        element, length = detail
        inner = self._field(element)
        return idl.array[inner, length] if sort == ARRAY else idl.sequence[inner]


@functools.cache
def types_of(distro: str) -> RawTypes:
    """Return the types of a distribution, shared by all nodes of the process. Raises BadInput for an unknown one."""
    return RawTypes(distro)


class RawSample:
    """A sample whose bytes Cyclone DDS writes and delivers unchanged, without copies beyond its own."""

    __slots__ = ("data", "sample_info")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.sample_info: Any = None  # set by the reader

    def serialize(self, **_: Any) -> bytes:
        return self.data

    @classmethod
    def deserialize(cls, data: bytes, **_: Any) -> RawSample:
        return cls(data)

    deserialize_key = deserialize
