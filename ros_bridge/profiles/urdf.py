"""Reading a URDF: links and joints as a tree, whatever does not matter for a profile left aside.

What is wrong is said only where it is needed: a joint that nothing moves may have any axis.
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
"""Bytes of a file: the largest public ones have 2 MB."""
DEEPEST = 100
"""Elements inside each other; a URDF has six."""
LONGEST = 200
"""Characters of a name, as in a profile."""


class _Wrong(Exception):
    """What is wrong with the URDF, a sentence without its file."""


@dataclass(frozen=True, slots=True)
class Mimic:
    """Which joint another follows: multiplier * its position + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """A joint as a URDF describes it.

    Attributes:
        xyz, rpy, axis: As they are written, since what is wrong with them matters only where they are used.
        lower, upper, velocity: None where nothing usable is given; `doubt` says why.
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
        """`xyz`, `rpy` or `axis` as numbers. Raises BadInput."""
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
    """A robot: its links, its joints, and the tree that they make.

    Attributes:
        above: By the name of a link the joint that carries it.
        below: The joints that a link carries.
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
        """The joints from the root to a link."""
        way: list[UrdfJoint] = []
        while link in self.above:
            way.append(self.above[link])
            link = self.above[link].parent
        return way[::-1]

    def subtree(self, link: str) -> Iterator[UrdfJoint]:
        """All joints below a link, parents before children."""
        waiting = [link]
        while waiting:
            for joint in self.below.get(waiting.pop(), ()):
                yield joint
                waiting.append(joint.child)

    def rigid(self, link: str) -> list[str]:
        """The links that are fixed to a link, itself included, from the base outwards."""
        while link in self.above and not self._gives(self.above[link]):
            link = self.above[link].parent
        links = [link]
        for rigid_link in links:
            links += [joint.child for joint in self.below.get(rigid_link, ()) if not self._gives(joint)]
        return links

    def driver(self, joint: UrdfJoint) -> Mimic:
        """Which joint moves a joint that moves: itself, or the one that it mimics, through others that mimic.

        Raises BadInput where there is none.
        """
        names = {known_joint.name: known_joint for known_joint in self.joints}
        multiplier, offset, seen = 1.0, 0.0, joint
        for _ in self.joints:
            if seen.mimic is None:
                return Mimic(seen.name, multiplier, offset)
            offset += multiplier * seen.mimic.offset
            multiplier *= seen.mimic.multiplier
            if seen.mimic.joint not in names:
                raise BadInput(
                    f"The joint '{printable(joint.name)}' of this URDF mimics '{printable(seen.mimic.joint)}', which is"
                    " not there: correct its <mimic>."
                )
            seen = names[seen.mimic.joint]
        raise BadInput(f"The joint '{printable(joint.name)}' of this URDF mimics itself: correct its <mimic>.")

    @staticmethod
    def _gives(joint: UrdfJoint) -> bool:
        return joint.kind != "fixed"


def read_urdf(path: Path) -> Urdf:
    """The robot in a URDF.

    Raises:
        BadInput: It is none, a xacro file, or no tree of links; one sentence says what is wrong with it.
    """
    with reading(path, "the URDF"), path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise BadInput(f"{path} is not a URDF: it has more than {LARGEST // 10**6} MB.")
    try:
        root = _elements(data, path)
        if root.tag != "robot":
            raise _Wrong(f"is not a URDF: its outermost element is <{root.tag[:40]}>, not <robot>")
        name = (root.get("name") or "").strip() or path.stem
        links = [_name(element, "link") for element in root.findall("link")]
        joints = [_joint(element) for element in root.findall("joint")]
        return _tree(printable(name)[:LONGEST], links, joints)
    except expat.ExpatError as error:
        raise BadInput(f"{path} is not a URDF: {error}.") from error
    except _Wrong as error:
        raise BadInput(f"{path} {error}.") from None


def _elements(data: bytes, path: Path) -> ET.Element:
    """The elements of a file. Text and comments are passed over, a prefix need not be declared. Raises ExpatError."""
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
            raise _Wrong(f"is not a URDF: its elements are nested more than {DEEPEST} deep")
        if tag.startswith("xacro:"):
            raise _Wrong(f"is a xacro file: make a URDF of it first, with `xacro {path.name} > robot.urdf`")
        if depth == 1 and ":" in tag:
            prefix = tag.partition(":")[0] + ":"
        builder.start(tag.removeprefix(prefix), attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag.removeprefix(prefix))

    def entity(*_: object) -> None:
        raise _Wrong("is not a URDF: it defines entities")

    parser = expat.ParserCreate(encoding)
    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, entity
    parser.Parse(data, True)
    return builder.close()


def _name(element: ET.Element, element_kind: str) -> str:
    name = element.get("name", "")
    if not name.strip():
        raise _Wrong(f"has a {element_kind} without a name")
    if len(name) > LONGEST:
        raise _Wrong(
            f"has a {element_kind} whose name has {len(name)} characters, '{printable(name[:40])}...': shorten it"
        )
    return name


def _joint(element: ET.Element) -> UrdfJoint:
    name = _name(element, "joint")
    joint_text = f"the joint '{printable(name)}'"
    kind = element.get("type", "").strip()
    if kind not in KINDS:
        raise _Wrong(f"has {joint_text} of the type '{printable(kind[:40])}', which is none of {', '.join(KINDS)}")
    linked_names = {}
    for end in ("parent", "child"):
        inner = element.find(end)
        linked_names[end] = "" if inner is None else inner.get("link", "")
        if not linked_names[end]:
            raise _Wrong(f"is not complete: {joint_text} has no {end} link")
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
"""rad/s, m/s: what a URDF has above these is an exporter's way to say that there is no limit."""
FARTHEST = 1000.0
"""The same of positions, rad or m."""


def _limits(element: ET.Element, kind: str) -> tuple[float | None, float | None, float | None, str]:
    """Lower, upper, velocity, what is to be looked at: exporters write 0, -1, inf and 1e16 where they know nothing."""
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
    # What is not given counts as 0, as in the specification.
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
        raise _Wrong(f"has {joint_text}, whose <mimic> needs a joint and finite numbers")
    return Mimic(mimic.get("joint", ""), multiplier, offset)


def _tree(name: str, links: list[str], joints: list[UrdfJoint]) -> Urdf:
    """Links and joints as a tree. Raises _Wrong where they are none."""
    for element_kind, names in (("links", links), ("joints", [joint.name for joint in joints])):
        twice = next((name for name, times in Counter(names).items() if times > 1), None)
        if twice is not None:
            raise _Wrong(f"has two {element_kind} that are called '{printable(twice)}': rename one")
    known = set(links)
    parents: dict[str, UrdfJoint] = {}
    children: dict[str, list[UrdfJoint]] = {}
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link not in known:
                raise _Wrong(f"has no link '{printable(link)}', which its joint '{printable(joint.name)}' needs")
        if joint.child in parents:
            raise _Wrong(
                f"is not a tree: the link '{printable(joint.child)}' is the child of two joints,"
                f" '{printable(parents[joint.child].name)}' and '{printable(joint.name)}'"
            )
        parents[joint.child] = joint
        children.setdefault(joint.parent, []).append(joint)
    robot = Urdf(name, links, joints, parents, children)
    reachable = set(robot.roots) | {joint.child for root in robot.roots for joint in robot.subtree(root)}
    if circle := [link for link in links if link not in reachable]:
        raise _Wrong(f"is not a tree: its links go round in a circle at '{printable(circle[0])}'")
    return robot
