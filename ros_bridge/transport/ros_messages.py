"""Messages of an installed ROS 2: classes by the name of their type, filled from mappings."""

from __future__ import annotations

import array
import importlib
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from homie.kernel.errors import BadInput, MissingPart, suggestion
from ros_bridge.transport.interface import Message

PARTS = {
    "SendGoal": ("Impl", "SendGoalService"),
    "GetResult": ("Impl", "GetResultService"),
    "FeedbackMessage": ("Impl", "FeedbackMessage"),
    "Goal": ("Goal",),
    "Result": ("Result",),
    "Feedback": ("Feedback",),
    "Request": ("Request",),
    "Response": ("Response",),
}
"""Where rclpy keeps the types derived from a service or an action, by the last words of their names."""
TYPECODES = {
    "double": "d",
    "float": "f",
    "octet": "B",
    "uint8": "B",
    "int8": "b",
    "uint16": "H",
    "int16": "h",
    "uint32": "I",
    "int32": "i",
    "uint64": "Q",
    "int64": "q",
}
"""Type codes of sequences of numbers, which rclpy keeps in `array.array`."""
_FIXED = re.compile(r"(.+)\[(\d+)\]")
_SEQUENCE = re.compile(r"sequence<(.+?)(?:, \d+)?>")


def class_of(kind: str) -> Any:
    """Return the class of a type, as `geometry_msgs/msg/Twist` or `std_srvs/srv/Trigger_Request`.

    Raises:
        MissingPart: Its package is not among the sourced ROS packages.
        BadInput: The package has no such type.
    """
    package, sort, name = kind.split("/")
    base, *parts = name.split("_")
    try:
        kind_class = getattr(importlib.import_module(f"{package}.{sort}"), base)
        for part in parts:
            for attribute in PARTS[part]:
                kind_class = getattr(kind_class, attribute)
    except ModuleNotFoundError as error:
        raise MissingPart(f"'{kind}' needs the ROS 2 package '{package}': install and source it.") from error
    except (AttributeError, KeyError) as error:
        raise BadInput(f"The ROS 2 package '{package}' has no kind '{kind}'.") from error
    return kind_class


def message(cls: Any, values: Mapping[str, Any]) -> Message:
    """Create a message of a class with these fields, the others at their defaults. Raises BadInput where one does not
    fit."""
    instance = cls()
    fields: Mapping[str, str] = cls.get_fields_and_field_types()
    for name, value in values.items():
        if name not in fields:
            hint = suggestion(name, fields, "its definition has the names")
            raise BadInput(f"{cls.__name__} has no field '{name}': {hint}")
        try:
            setattr(instance, name, _convert(fields[name], value))
        except (AssertionError, TypeError, ValueError, OverflowError) as error:
            raise BadInput(f"The field '{name}' of {cls.__name__} cannot hold {value!r:.80}: {error}.") from error
    return instance


def _convert(type_name: str, value: Any) -> Any:
    """Convert a value to the form that the setter of rclpy accepts."""
    fixed, sequence = _FIXED.fullmatch(type_name), _SEQUENCE.fullmatch(type_name)
    element = fixed[1] if fixed else sequence[1] if sequence else ""
    if element in TYPECODES:
        numbers = np.frombuffer(value, np.uint8) if isinstance(value, bytes) else np.asarray(value)
        typed = np.ascontiguousarray(numbers, np.dtype(TYPECODES[element])).reshape(-1)
        return typed if fixed else array.array(TYPECODES[element], typed.tobytes())
    if element:
        return [_convert(element, item) for item in value]
    if isinstance(value, Mapping):
        package, name = type_name.split("/")
        sort = "action" if "_" in name else "msg"
        return message(class_of(f"{package}/{sort}/{name}"), value)
    if type_name in ("double", "float"):
        return float(value)
    if type_name == "octet" and isinstance(value, int):
        return bytes([value])
    return value
