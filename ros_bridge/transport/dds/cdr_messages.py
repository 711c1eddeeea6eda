"""Message definitions and CDR serialization, from rosbags and the files beside this; checked messages with defaults."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.documents import parse_yaml
from ros_bridge.transport.interface import Message

DISTROS = {
    "humble": Stores.ROS2_HUMBLE,
    "iron": Stores.ROS2_IRON,
    "jazzy": Stores.ROS2_JAZZY,
    "kilted": Stores.ROS2_KILTED,
    "lyrical": Stores.ROS2_LYRICAL,
}
FILES = ("definitions.yaml", "moveit.yaml")
"""Definitions that rosbags lacks."""
LONGEST = 1 << 28
"""The most elements of a sequence: four times the bytes of the largest accepted message (`receiver.LARGEST`)."""
BASE, NAME, ARRAY, SEQUENCE = 1, 2, 3, 4
"""The sorts of fields, as rosbags numbers them: a number or text, a message, an array and a sequence of either."""
NUMBERS: dict[str, Any] = {
    "bool": np.bool_,
    "byte": np.uint8,
    "octet": np.uint8,
    "char": np.uint8,
    "float32": np.float32,
    "float64": np.float64,
    **{f"{sign}int{bits}": np.dtype(f"{sign}int{bits}").type for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
UPRIGHT = {("geometry_msgs/msg/Quaternion", "w"): 1.0}
"""Defaults that are not zero, among the message types that are sent."""


class MalformedMessage(Exception):
    """Bytes from the network that are not a message of the expected type."""


class Definitions:
    """The message types of one ROS 2 distribution: creates, serializes and parses messages.

    Args:
        distro: The distribution that the robot runs (`DISTROS`): a few messages differ.

    Raises:
        BadInput: The distribution is unknown.
    """

    def __init__(self, distro: str = "humble") -> None:
        if distro not in DISTROS:
            hint = suggestion(distro, DISTROS, f"it knows {', '.join(DISTROS)}")
            raise BadInput(f"Homie does not know the ROS 2 distribution '{distro}': {hint}")
        self._store = get_typestore(DISTROS[distro])
        self._store.max_sequence_length = LONGEST
        for name in FILES:
            self._take(parse_yaml((files(__package__) / name).read_bytes()), distro)

    def _take(self, definitions: dict[str, Any], distro: str) -> None:
        """Add the types of a file, in their version for a distribution."""
        changed_kinds: dict[str, Any] = {}
        for changes in (
            definitions["since"].get(distribution, {})
            for distribution in list(DISTROS)[: list(DISTROS).index(distro) + 1]
        ):
            for name, parts in changes.items():
                changed_kinds[name] = parts if isinstance(parts, str) else {**changed_kinds.get(name, {}), **parts}
        for name, text in definitions["messages"].items():
            self.register(name, changed_kinds.get(name, text))
        for name, parts in definitions.get("services", {}).items():
            self.register(f"{name}_Request", parts["request"])
            self.register(f"{name}_Response", parts["response"])
        for name, parts in definitions["actions"].items():
            self._register_action(name, **{**parts, **changed_kinds.get(name, {})})

    def register(self, kind: str, text: str) -> None:
        """Add a type from the text of its `.msg` file, or of one part of a `.srv` or `.action` file."""
        # IDL allows no structure without fields: ROS 2 adds this one, too.
        body = text.strip() or "uint8 structure_needs_at_least_one_member"
        self._store.register(get_types_from_msg(body, _key(kind)))

    def _register_action(self, name: str, goal: str, result: str, feedback: str) -> None:
        """Add an action and the types that ROS 2 derives from it."""
        for part, text in (("Goal", goal), ("Result", result), ("Feedback", feedback)):
            self.register(f"{name}_{part}", text)
        goal_id = "unique_identifier_msgs/UUID goal_id\n"
        self.register(f"{name}_SendGoal_Request", f"{goal_id}{_key(name)}_Goal goal")
        self.register(f"{name}_SendGoal_Response", "bool accepted\nbuiltin_interfaces/Time stamp")
        self.register(f"{name}_GetResult_Request", goal_id)
        self.register(f"{name}_GetResult_Response", f"int8 status\n{_key(name)}_Result result")
        self.register(f"{name}_FeedbackMessage", f"{goal_id}{_key(name)}_Feedback feedback")

    def fields(self, kind: str) -> list[tuple[str, tuple[int, Any]]]:
        """Return name and description of the fields of a type, in order. Raises BadInput for an unknown type."""
        key = _key(kind)
        if key not in self._store.fielddefs:
            kind_names = [_ros_kind(name) for name in self._store.fielddefs]
            raise BadInput(
                f"There is no kind '{kind}' here: {suggestion(kind, kind_names, 'look for how it is spelt')}"
            )
        return [(name, (int(sort), detail)) for name, (sort, detail) in self._store.fielddefs[key][1]]

    def message(self, kind: str, **values: Any) -> Message:
        """Create a message, see `ros_bridge.transport.interface.Node.message`."""
        fields = self.fields(kind)
        unknown = sorted(set(values) - {name for name, _ in fields})
        if unknown:
            hint = suggestion(unknown[0], [name for name, _ in fields], "its definition has the names")
            raise BadInput(f"{kind} has no field '{unknown[0]}': {hint}")
        filled_fields = {
            name: self._convert(kind, name, description, values.get(name, UPRIGHT.get((kind, name))))
            for name, description in fields
        }
        return self._store.types[_key(kind)](**filled_fields)

    def _convert(self, kind: str, name: str, description: tuple[int, Any], value: Any) -> Any:
        """Convert a value for its field, None to its default. Raises BadInput where it does not fit."""
        sort, detail = description
        try:
            if sort == BASE:
                return _scalar(detail[0], value)
            if sort == NAME:
                return self._nested(_ros_kind(detail), value)
            element, length = detail
            if int(element[0]) == BASE and element[1][0] in NUMBERS:
                return _numbers(NUMBERS[element[1][0]], value, length if sort == ARRAY else None)
            items = [] if value is None else list(value)
            if value is None and sort == ARRAY:
                items = [None] * length
            return [self._convert(kind, name, (int(element[0]), element[1]), item) for item in items]
        except (TypeError, ValueError, OverflowError) as error:
            raise BadInput(f"The field '{name}' of {kind} cannot hold {value!r:.80}: {error}.") from error

    def _nested(self, kind: str, value: Any) -> Message:
        if value is None or isinstance(value, Mapping):
            return self.message(kind, **(value or {}))
        if not isinstance(value, self._store.types[_key(kind)]):
            raise TypeError(f"it takes a {kind}")
        return value

    def text(self, kind: str) -> tuple[str, str]:
        """Return the definition of a type with those of its parts, and its hash (RIHS01), as stored in a bag."""
        self.fields(kind)  # raises BadInput for an unknown type
        return self._store.generate_msgdef(_key(kind), ros_version=2)[0], self._store.hash_rihs01(_key(kind))

    def write(self, kind: str, message: Message) -> bytes:
        """Serialize a message as CDR, with the four bytes of encapsulation. Raises BadInput."""
        try:
            return bytes(self._store.serialize_cdr(message, _key(kind)))
        except (AttributeError, TypeError, ValueError, AssertionError, KeyError) as error:
            raise BadInput(f"This is not a {kind}, it cannot be sent: {error!r}.") from error
        except Exception as error:  # struct.error of a number that is too large, SerdeError of a wrong length
            raise BadInput(f"This {kind} cannot be sent: {error}.") from error

    def prepare(self, kind: str) -> None:
        """Prepare the serialization of a type: for a large one, such as a goal of MoveIt, that takes a third of a
        second, in which a guard could not stop a robot."""
        self.read(kind, self.write(kind, self.message(kind)))

    def read(self, kind: str, data: bytes) -> Message:
        """Parse a message from CDR bytes. Raises Malformed, whatever they are."""
        try:
            return self._store.deserialize_cdr(memoryview(data), _key(kind))  # a slice of it copies nothing
        except SerdeError as error:
            raise MalformedMessage(str(error)) from error
        except Exception as error:  # wrong lengths raise many types in the generated code of rosbags
            raise MalformedMessage(f"{type(error).__name__}: {error}") from error


def _key(kind: str) -> str:
    """Return the name of a type in rosbags, which has parts of services and actions under `/msg/`, too."""
    if kind.count("/") < 2 or "/msg/" in kind:
        return kind
    head, name = kind.rsplit("/", 1)
    return f"{head}/msg/{name}"


def _ros_kind(key: str) -> str:
    """Return the ROS 2 name of a type from that in rosbags."""
    return key.replace("/srv/msg/", "/srv/").replace("/action/msg/", "/action/")


def _scalar(base: str, value: Any) -> Any:
    if base not in NUMBERS:
        if not isinstance(value, str | None):
            raise TypeError("it takes text")
        return value or ""
    dtype = NUMBERS[base]
    if value is None:
        return dtype(0).item()
    if isinstance(value, str):
        raise TypeError("it takes a number")
    if base.startswith("float"):
        return float(value)
    if base == "bool":
        return bool(value)
    number = int(value)
    if number != value:
        raise ValueError("it takes a whole number")
    limits = np.iinfo(dtype)
    if not limits.min <= number <= limits.max:
        raise OverflowError(f"{base} goes from {limits.min} to {limits.max}")
    return number


def _numbers(dtype: Any, value: Any, length: int | None) -> Any:
    """Convert a value to a flat array of numbers. Raises ValueError for a wrong length."""
    if value is None:
        return np.zeros(length or 0, dtype)
    if isinstance(value, bytes | bytearray | memoryview):
        value = np.frombuffer(value, np.uint8)
    numbers = np.asarray(value)
    if numbers.size and not np.can_cast(numbers.dtype, dtype, "same_kind") and numbers.dtype.kind not in "iu":
        raise TypeError(f"it takes {np.dtype(dtype).name}")
    array = np.ascontiguousarray(numbers, dtype).reshape(-1)
    if numbers.dtype != array.dtype and numbers.dtype.kind in "iu" and not np.array_equal(array, numbers.reshape(-1)):
        raise OverflowError(f"a number is too large for {np.dtype(dtype).name}")
    if length is not None and array.size != length:
        raise ValueError(f"it takes {length} numbers, not {array.size}")
    return array
