"""Strict parsers of untrusted JSON and YAML: bounded size, depth and aliases, unique names, finite numbers.

All files, replies and messages from outside are read here, so that a malicious one ends in an error message: neither
parser of PyYAML bounds its recursion, and LibYAML's crashes the process.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import yaml
from yaml.composer import Composer
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.resolver import Resolver

from homie.kernel.support.text import HALF_CHARACTER

LARGEST = 256 * 2**20
"""Maximum bytes of JSON: a data set of training lines has some tens of MiB."""
LARGEST_YAML = 16 * 2**20
"""Maximum bytes of YAML, which takes a hundred times as long as JSON: the largest built-in suite has half a MiB."""
DEEPEST = 64
"""Maximum nesting of lists and mappings: the deepest file of Homie has 12 levels."""
MOST_NODES = 2_000_000
"""Maximum number of values in a YAML file with its aliases expanded: nine lines of aliases can expand to 10^9."""
_BESIDE_BRACKETS = re.compile(r'"(?>[^"\\]+|\\.)*+"|[^\[\]{}"]+', re.DOTALL)
_LONG_NUMBER = re.compile(r"[eE]\+?\d{3}|\d{300}")
"""Occurs in every number that is larger than the largest float."""
_LEADING_ZERO = re.compile(r"[-+]?0[0-9_]+")
_OF_YAML = "tag:yaml.org,2002:"
_KINDS = ("null", "str", "seq", "map")
"""Tags whose values PyYAML constructs. Sets, dates and bytes, which JSON does not have, are left out."""
_TOO_DEEP = f"it is nested too deeply (more than {DEEPEST} lists and mappings inside each other)"


def load_json(path: Path, *, lax: bool = False) -> Any:
    """Parse a JSON file by `parse_json`. Raises OSError, ValueError."""
    return parse_json(bounded_bytes(path, LARGEST), lax=lax)


def load_yaml(path: Path, *, words: bool = False) -> Any:
    """Parse a YAML file by `parse_yaml`. Raises OSError, ValueError, yaml.YAMLError."""
    return parse_yaml(bounded_bytes(path), words=words)


def parse_json(data: str | bytes, *, lax: bool = False) -> Any:
    """Parse JSON; a leading byte order mark is skipped.

    Args:
        data: The text, or its bytes in UTF-8.
        lax: Whether to parse like Python's `json`: the last of duplicate names is used, and NaN and Infinity are
            numbers. For output of other programs, of which only a part is used.

    Raises:
        ValueError: It is not JSON, or outside the bounds: empty, too large, nested too deeply, a number that is not
            finite or has thousands of digits, a duplicate name in an object.

    Example:
        >>> parse_json('{"speed": 1, "speed": 2}')
        Traceback (most recent call last):
        ValueError: the name 'speed' stands twice in one object
    """
    text = _decode(data, LARGEST)
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        raise ValueError(_TOO_DEEP)
    with _clear_digit_errors():
        if lax:
            return json.loads(text)
        floats = _finite if _LONG_NUMBER.search(text) else None  # calling a hook for each number doubles the time
        return json.loads(text, object_pairs_hook=_unique_members, parse_constant=_not_finite, parse_float=floats)


def parse_yaml(data: str | bytes, *, words: bool = False) -> Any:
    """Parse YAML with the types of JSON; None for an empty text. Dates and times are text.

    Args:
        data: The text, or its bytes in UTF-8.
        words: Whether `on`, `off`, `yes` and `no` are words, as in YAML 1.2, and not true and false.

    Raises:
        yaml.YAMLError: It is not YAML, or has a duplicate name in a mapping, a tag such as `!!set`, or a lone
            surrogate.
        ValueError: It is outside the bounds: too large, nested too deeply, aliases that expand to too many values or
            contain themselves, a number that is not finite.
    """
    text = _decode(data, LARGEST_YAML, empty=True)
    slow, fast = (_SlowWords, _FastWords) if words else (_Slow, _Fast)
    with _clear_digit_errors():
        # After an error parse again: messages of the slow parser have line and column in the expected format.
        with contextlib.suppress(yaml.YAMLError):
            return yaml.load(text, Loader=fast)
        return yaml.load(text, Loader=slow)


@contextmanager
def _clear_digit_errors() -> Iterator[None]:
    """Replace Python's error about a number of 5000 digits by a readable message."""
    try:
        yield
    except ValueError as error:
        if "set_int_max_str_digits" in str(error):
            raise ValueError("it has a number of thousands of digits") from None
        raise


def bounded_bytes(path: Path, largest: int = LARGEST_YAML) -> bytes:
    """Read a file, at most one byte more than `largest`, so that the parser can detect that it is too large."""
    with path.open("rb") as file:  # not by file size: a pipe has none
        return file.read(largest + 1)


def _decode(data: str | bytes, largest: int, *, empty: bool = False) -> str:
    if len(data) > largest:
        raise ValueError(f"it is too large (more than {largest // 2**20} MiB)")
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    text = text.removeprefix("\ufeff")
    if not empty and (not text or text.isspace()):
        raise ValueError("it is empty")
    return text


def _depth(text: str) -> int:
    """Return the nesting depth of brackets, ignoring those in strings."""
    depth = deepest = 0
    for character in _BESIDE_BRACKETS.sub("", text):
        depth += (character in "[{") - (character in "]}")
        deepest = max(deepest, depth)
    return deepest


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for index, name in enumerate(names) if name in names[:index])
        raise ValueError(f"the name '{duplicate[:80]}' stands twice in one object")
    return members


def _not_finite(text: str) -> float:
    raise ValueError(f"{text} is not a number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def _resolvers(*excluded: str) -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """Return the resolvers of plain scalars (number, true, ...) by first character, without the excluded types; true
    and false stay bools."""
    return {
        character: [
            (tag, pattern)
            for tag, pattern in resolvers
            if (kind := tag.removeprefix(_OF_YAML)) not in excluded or (kind == "bool" and character in "tTfF")
        ]
        for character, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


class _Slow(yaml.SafeLoader):
    """YAML loader that enforces the bounds event by event."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._reset_counts()

    def _reset_counts(self) -> None:
        self._open = self._nodes = 0
        self._sizes: dict[str, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            name = self._anchor()
            if name in self.anchors and name not in self._sizes:
                raise ValueError(f"the alias *{name} is inside what it stands for")
            self._count(self._sizes.get(name, 1))
            return super().compose_node(parent, index)
        name, nodes_before = self._anchor(), self._nodes
        self._open += 1
        if self._open > DEEPEST:
            raise ValueError(_TOO_DEEP)
        self._count(1)
        node = super().compose_node(parent, index)
        self._open -= 1
        if name is not None:
            self._sizes[name] = self._nodes - nodes_before
        return node

    def _anchor(self) -> Any:
        return self.peek_event().anchor  # type: ignore[no-untyped-call]

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > MOST_NODES:
            raise ValueError(f"it stands for more than {MOST_NODES:,} values, its aliases counted")

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        text = super().construct_scalar(node)
        if text.isascii() or not HALF_CHARACTER.search(text):
            return text
        try:  # JSON may write one character as two escapes, which the slow parser reads as two characters
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise ConstructorError(None, None, "an escape stands for half a character", node.start_mark) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        names = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in names:
                raise ConstructorError(None, None, f"'{key.value}' stands twice", key.start_mark)
            names.add(key.value)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping

    def construct_number(self, node: yaml.ScalarNode) -> Any:
        """Construct a number or bool by its tag, which may not fit. `1:30` is text and `017` 17, as in YAML 1.2."""
        kind = node.tag.removeprefix(_OF_YAML)
        if kind != "bool" and ":" in node.value:
            return node.value
        if kind == "int" and _LEADING_ZERO.fullmatch(node.value):
            return int(node.value.replace("_", ""))
        try:
            value = SafeConstructor.yaml_constructors[node.tag](self, node)
        except (ValueError, LookupError) as error:
            if "set_int_max_str_digits" in str(error):
                raise
            raise ConstructorError(None, None, f"'{node.value}' is not of the type {kind}", node.start_mark) from None
        if isinstance(value, float) and not math.isfinite(value):
            raise ConstructorError(None, None, f"{node.value} is not a finite number", node.start_mark)
        return value

    def refuse(self, node: yaml.Node) -> NoReturn:
        tag = node.tag.replace(_OF_YAML, "!!")
        raise ConstructorError(None, None, f"values of the tag {tag} are not known here", node.start_mark)


_Slow.yaml_constructors = {
    **{f"{_OF_YAML}{kind}": SafeConstructor.yaml_constructors[f"{_OF_YAML}{kind}"] for kind in _KINDS},
    **{f"{_OF_YAML}{kind}": _Slow.construct_number for kind in ("bool", "int", "float")},
    None: _Slow.refuse,
}
_Slow.yaml_implicit_resolvers = _resolvers("timestamp", "value")


class _SlowWords(_Slow):
    yaml_implicit_resolvers = _resolvers("timestamp", "value", "bool")


_Fast: type[_Slow] = _Slow
_FastWords: type[_Slow] = _SlowWords
if yaml.__with_libyaml__:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class _ByLibYaml(CParser, _Slow):
        """Loader with LibYAML's parser, if PyYAML was built with it: five times as fast.

        LibYAML's composer recurses in C and crashes the process on deep lists, so that Python's composer is used.
        """

        check_node, get_node, get_single_node = Composer.check_node, Composer.get_node, Composer.get_single_node

        def __init__(self, stream: str) -> None:
            CParser.__init__(self, stream)
            Composer.__init__(self)
            SafeConstructor.__init__(self)
            Resolver.__init__(self)
            self._reset_counts()

    class _WordsByLibYaml(_ByLibYaml):
        yaml_implicit_resolvers = _SlowWords.yaml_implicit_resolvers

    _Fast, _FastWords = _ByLibYaml, _WordsByLibYaml
