"""URDF reader: links and joints as a tree, without the elements that a profile does not need.

Errors are reported only where they matter: a joint that does not move may have any axis.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.parsers import expat

from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading
from homie.kernel.support.text import printable

MOVING: Mapping[str, Literal["revolute", "prismatic"]] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
}
KINDS = (*MOVING, "fixed", "floating", "planar")
LARGEST = 20_000_000
"""Largest file in bytes: the largest public ones have 2 MB."""
DEEPEST = 100
"""Deepest nesting of elements; a URDF has six levels."""
LONGEST = 200
"""Longest name in characters, as in a profile."""


class _InvalidUrdf(Exception):
    """The URDF is invalid; the message is a sentence without the file name."""


@dataclass(frozen=True, slots=True)
class Mimic:
    """A mimic relation: multiplier * the position of another joint + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """A joint as a URDF describes it.

    Attributes:
        xyz, rpy, axis: Unparsed text, since errors in them matter only where they are used.
        lower, upper, velocity: None without a usable value; `doubt` says why.
    """

    name: str
    kind: str
    parent: str
    child: str
    xyz: str = "0 0 0"
    rpy: str = "0 0 0"
    axis: str = "1 0 0"
    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    mimic: Mimic | None = None
    doubt: str = ""

    @property
    def moves(self) -> bool:
        """Whether it moves, by itself or with another joint."""
        return self.kind in MOVING

    @property
    def driven(self) -> bool:
        """Whether a controller moves it by itself."""
        return self.moves and self.mimic is None

    def triple(self, field: str) -> tuple[float, float, float]:
        """Parse `xyz`, `rpy` or `axis`. Raises BadInput."""
        text: str = getattr(self, field)
        try:
            x, y, z = map(float, text.split())
        except ValueError:
            x = math.nan
        if not math.isfinite(x) or not math.isfinite(y) or not math.isfinite(z):
            raise BadInput(
                f"The joint '{printable(self.name)}' of this URDF has {field}=\"{printable(text[:60])}\": it must be"
                " three finite numbers."
            )
        if field == "axis" and math.hypot(x, y, z) < 1e-6:
            raise BadInput(
                f"The joint '{printable(self.name)}' of this URDF is {self.kind} and has the axis {printable(text)},"
                " which has no direction: correct its <axis>."
            )
        return x, y, z


@dataclass(frozen=True)
class Urdf:
    """A robot: its links, its joints, and the tree that they form.

    Attributes:
        above: The joint that carries a link, by the name of the link.
        below: The joints that a link carries, by the name of the link.
    """

    name: str
    links: Sequence[str]
    joints: Sequence[UrdfJoint]
    above: Mapping[str, UrdfJoint] = field(default_factory=dict)
    below: Mapping[str, Sequence[UrdfJoint]] = field(default_factory=dict)

    @property
    def roots(self) -> list[str]:
        """Links that no joint carries; more than one where links are not joined to the rest."""
        return [link for link in self.links if link not in self.above]

    def way(self, link: str) -> list[UrdfJoint]:
        """Return the joints from the root to a link."""
        way: list[UrdfJoint] = []
        while link in self.above:
            way.append(self.above[link])
            link = self.above[link].parent
        return way[::-1]

    def subtree(self, link: str) -> Iterator[UrdfJoint]:
        """Yield all joints below a link, parents before children."""
        waiting = [link]
        while waiting:
            for joint in self.below.get(waiting.pop(), ()):
                yield joint
                waiting.append(joint.child)

    def rigid(self, link: str) -> list[str]:
        """Return the links that are fixed to a link, itself included, from the base outwards."""
        while link in self.above and not self._is_movable(self.above[link]):
            link = self.above[link].parent
        links = [link]
        for rigid_link in links:
            links += [joint.child for joint in self.below.get(rigid_link, ()) if not self._is_movable(joint)]
        return links

    def driver(self, joint: UrdfJoint) -> Mimic:
        """Return the joint that drives a moving joint: itself, or the one that it mimics, through further mimic joints.

        Raises BadInput where there is none.
        """
        names = {known_joint.name: known_joint for known_joint in self.joints}
        multiplier, offset, current = 1.0, 0.0, joint
        for _ in self.joints:
            if current.mimic is None:
                return Mimic(current.name, multiplier, offset)
            offset += multiplier * current.mimic.offset
            multiplier *= current.mimic.multiplier
            if current.mimic.joint not in names:
                raise BadInput(
                    f"The joint '{printable(joint.name)}' of this URDF mimics '{printable(current.mimic.joint)}', which"
                    " is not there: correct its <mimic>."
                )
            current = names[current.mimic.joint]
        raise BadInput(f"The joint '{printable(joint.name)}' of this URDF mimics itself: correct its <mimic>.")

    @staticmethod
    def _is_movable(joint: UrdfJoint) -> bool:
        return joint.kind != "fixed"


def read_urdf(path: Path) -> Urdf:
    """Read the robot in a URDF.

    Raises:
        BadInput: The file is not a URDF, is a xacro file, or its links form no tree; one sentence names the mistake.
    """
    with reading(path, "the URDF"), path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise BadInput(f"{path} is not a URDF: it has more than {LARGEST // 10**6} MB.")
    try:
        root = _elements(data, path)
        if root.tag != "robot":
            raise _InvalidUrdf(f"is not a URDF: its outermost element is <{root.tag[:40]}>, not <robot>")
        name = (root.get("name") or "").strip() or path.stem
        links = [_name(element, "link") for element in root.findall("link")]
        joints = [_joint(element) for element in root.findall("joint")]
        return _tree(printable(name)[:LONGEST], links, joints)
    except expat.ExpatError as error:
        raise BadInput(f"{path} is not a URDF: {error}.") from error
    except _InvalidUrdf as error:
        raise BadInput(f"{path} {error}.") from None


def _elements(data: bytes, path: Path) -> ET.Element:
    """Parse the elements of a file. Text and comments are skipped, a prefix need not be declared. Raises ExpatError."""
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        data = data.removeprefix(b"\xef\xbb\xbf").lstrip()  # as other readers of URDF do
    try:
        data.decode("utf-8")
        encoding = None
    except UnicodeDecodeError:  # a name with an umlaut in a comment, of an old editor
        encoding = None if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"encoding=" in data[:100] else "iso-8859-1"
    builder, depth, prefix = ET.TreeBuilder(), 0, ""

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, prefix
        depth += 1
        if depth > DEEPEST:
            raise _InvalidUrdf(f"is not a URDF: its elements are nested more than {DEEPEST} deep")
        if tag.startswith("xacro:"):
            raise _InvalidUrdf(f"is a xacro file: make a URDF of it first, with `xacro {path.name} > robot.urdf`")
        if depth == 1 and ":" in tag:
            prefix = tag.partition(":")[0] + ":"
        builder.start(tag.removeprefix(prefix), attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag.removeprefix(prefix))

    def entity(*_: object) -> None:
        raise _InvalidUrdf("is not a URDF: it defines entities")

    parser = expat.ParserCreate(encoding)
    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, entity
    parser.Parse(data, True)
    return builder.close()


def _name(element: ET.Element, element_kind: str) -> str:
    name = element.get("name", "")
    if not name.strip():
        raise _InvalidUrdf(f"has a {element_kind} without a name")
    if len(name) > LONGEST:
        raise _InvalidUrdf(
            f"has a {element_kind} whose name has {len(name)} characters, '{printable(name[:40])}...': shorten it"
        )
    return name


def _joint(element: ET.Element) -> UrdfJoint:
    name = _name(element, "joint")
    joint_text = f"the joint '{printable(name)}'"
    kind = element.get("type", "").strip()
    if kind not in KINDS:
        raise _InvalidUrdf(
            f"has {joint_text} of the type '{printable(kind[:40])}', which is none of {', '.join(KINDS)}"
        )
    linked_names = {}
    for end in ("parent", "child"):
        inner = element.find(end)
        linked_names[end] = "" if inner is None else inner.get("link", "")
        if not linked_names[end]:
            raise _InvalidUrdf(f"is not complete: {joint_text} has no {end} link")
    origin, axis = element.find("origin"), element.find("axis")
    lower, upper, velocity, doubt = _limits(element, kind)
    return UrdfJoint(
        name,
        kind,
        linked_names["parent"],
        linked_names["child"],
        "0 0 0" if origin is None else origin.get("xyz", "0 0 0"),
        "0 0 0" if origin is None else origin.get("rpy", "0 0 0"),
        "1 0 0" if axis is None else axis.get("xyz", "1 0 0"),
        lower,
        upper,
        velocity,
        _mimic(element, joint_text),
        doubt,
    )


FASTEST = {"revolute": 30.0, "prismatic": 5.0}
"""Largest velocities (rad/s, m/s) taken as limits: exporters write larger ones where there is no limit."""
FARTHEST = 1000.0
"""Largest positions (rad or m) taken as limits, for the same reason."""


def _limits(element: ET.Element, kind: str) -> tuple[float | None, float | None, float | None, str]:
    """Return lower, upper, velocity, and what is doubtful: exporters write 0, -1, inf and 1e16 for unknown values."""
    if kind not in MOVING:
        return None, None, None, ""
    limit = element.find("limit")
    words = {} if limit is None else {key: limit.get(key, "").strip() for key in ("lower", "upper", "velocity")}
    numbers = {key: _number(word) for key, word in words.items()}
    doubts = []
    velocity = numbers.get("velocity")
    if velocity is None or not 0 < velocity <= FASTEST[MOVING[kind]]:
        velocity_text = words.get("velocity", "")
        doubts.append(
            f"the URDF has the velocity {printable(velocity_text[:20])}"
            if velocity_text
            else "the URDF has no velocity"
        )
        velocity = None
    if kind == "continuous":
        return None, None, velocity, "; ".join(doubts)
    missing = [key for key in ("lower", "upper") if not words.get(key)]
    # Missing limits count as 0, as in the specification.
    lower, upper = (0.0 if not words.get(key) else numbers[key] for key in ("lower", "upper"))
    if lower is not None and upper is not None and max(-lower, upper) <= FARTHEST and lower != upper:
        doubts += [f"the URDF has no {key} limit, which counts as 0" for key in missing]
        if lower > upper:
            doubts.append(f"the URDF has the limits {lower:g} to {upper:g}")
            lower, upper = upper, lower
        return lower, upper, velocity, "; ".join(doubts)
    doubts.append("the URDF has no limits")
    return None, None, velocity, "; ".join(doubts)


def _number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _mimic(element: ET.Element, joint_text: str) -> Mimic | None:
    mimic = element.find("mimic")
    if mimic is None:
        return None
    multiplier = _number(mimic.get("multiplier", "").strip() or "1")
    offset = _number(mimic.get("offset", "").strip() or "0")
    if multiplier is None or offset is None or not mimic.get("joint"):
        raise _InvalidUrdf(f"has {joint_text}, whose <mimic> needs a joint and finite numbers")
    return Mimic(mimic.get("joint", ""), multiplier, offset)


def _tree(name: str, links: list[str], joints: list[UrdfJoint]) -> Urdf:
    """Build the tree of links and joints. Raises _InvalidUrdf where they form none."""
    for element_kind, names in (("links", links), ("joints", [joint.name for joint in joints])):
        twice = next((name for name, times in Counter(names).items() if times > 1), None)
        if twice is not None:
            raise _InvalidUrdf(f"has two {element_kind} that are called '{printable(twice)}': rename one")
    known = set(links)
    parents: dict[str, UrdfJoint] = {}
    children: dict[str, list[UrdfJoint]] = {}
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link not in known:
                raise _InvalidUrdf(f"has no link '{printable(link)}', which its joint '{printable(joint.name)}' needs")
        if joint.child in parents:
            raise _InvalidUrdf(
                f"is not a tree: the link '{printable(joint.child)}' is the child of two joints,"
                f" '{printable(parents[joint.child].name)}' and '{printable(joint.name)}'"
            )
        parents[joint.child] = joint
        children.setdefault(joint.parent, []).append(joint)
    robot = Urdf(name, links, joints, parents, children)
    reachable = set(robot.roots) | {joint.child for root in robot.roots for joint in robot.subtree(root)}
    if circle := [link for link in links if link not in reachable]:
        raise _InvalidUrdf(f"is not a tree: its links go round in a circle at '{printable(circle[0])}'")
    return robot
