"""What the numbers of one arm mean to another: a file that says for each joint where its number comes from.

panda_joint1.pos: {from: shoulder_pan.pos, scale: 0.02, offset: 0.1}     rad = 0.02 * shoulder_pan.pos + 0.1
panda_joint3.pos: {value: 0.0}                                          stays there
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_yaml
from homie.kernel.support.files import reading

FIELDS = {"from", "scale", "offset", "value"}


@dataclass(frozen=True, slots=True)
class Source:
    """Where the number of a joint comes from: `scale` times that of `name`, and `offset`; "" for `offset` alone."""

    name: str
    scale: float
    offset: float


@dataclass(frozen=True, slots=True)
class Adapter:
    """sources: by label of the robot."""

    sources: Mapping[str, Source]

    @property
    def names(self) -> tuple[str, ...]:
        """The labels of the other arm that are used, in order."""
        return tuple(dict.fromkeys(source.name for source in self.sources.values() if source.name))

    def adapted(self, action: Mapping[str, float]) -> dict[str, float]:
        """The action of the other arm as one of the robot. Raises BadInput for one that lacks a number."""
        if lacking := [name for name in self.names if name not in action]:
            raise BadInput(f"The teleoperator says nothing of {', '.join(lacking)}: correct --robot.adapter.")
        return {
            label: source.scale * float(action[source.name]) + source.offset if source.name else source.offset
            for label, source in self.sources.items()
        }


def read_adapter(path: Path) -> Adapter:
    """The adapter of a file. Raises BadInput for one that cannot be used."""
    with reading(path, "the adapter"):
        content = load_yaml(path)
    if not isinstance(content, dict) or not content:
        raise BadInput(f"The adapter {path} must be lines of `JOINT: {{from: NAME, scale: 1.0, offset: 0.0}}`.")
    return Adapter({str(label): _source(path, str(label), entry) for label, entry in content.items()})


def _source(path: Path, label: str, entry: object) -> Source:
    if isinstance(entry, dict) and set(entry) <= FIELDS and ("from" in entry) is not ("value" in entry):
        numbers = [entry.get("scale", 1.0), entry.get("value", entry.get("offset", 0.0))]
        if all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
            return Source(str(entry.get("from", "")), float(numbers[0]), float(numbers[1]))
    raise BadInput(f"The adapter {path}, {label}: write {{from: NAME, scale: 1.0, offset: 0.0}} or {{value: 0.0}}.")
