"""A task of EB-Manipulation in a running CoppeliaSim: load its objects, and judge success by its own sensors."""

from __future__ import annotations

from homie.envs.coppelia.link import Link
from homie.envs.coppelia.released_task import ReleasedTask
from homie.kernel.errors import BadInput

OPEN = 0.9
"""Fraction of the maximum opening at which the hand counts as open, as in the released evaluator."""


class TaskInScene:
    """Objects and success conditions of an episode, by handles."""

    def __init__(self, link: Link, task: ReleasedTask) -> None:
        self.task, self._link = task, link
        self._root: int | None = None
        self._shapes: dict[str, int] = {}
        self._sensors: dict[str, int] = {}
        self._dirt: dict[str, int] = {}

    def load(self) -> None:
        """Load the objects again, at their initial poses. Raises BadInput if one is missing."""
        if self._root is not None:
            self._link("removeModel", self._root)
        self._root = int(self._link("loadModel", str(self.task.model.resolve())))
        self._shapes, self._sensors = (self._handles_by_name(self._root, kind) for kind in ("shape", "proximitysensor"))
        self._dirt = {name: self._shape(name) for name in self.task.dirt}
        self.done(opening=1.0)  # raises BadInput for a missing object

    @property
    def hidden(self) -> frozenset[int]:
        """Handles of the spots of dirt, which are no objects."""
        return frozenset(self._dirt.values())

    def update(self) -> None:
        """Remove the spots of dirt under the sponge, after a simulation step."""
        for name, handle in list(self._dirt.items()):
            if self._detects(self.task.wiper, handle):
                self._link("removeObjects", [handle])
                del self._dirt[name]

    def done(self, opening: float) -> bool:
        """Whether the task is done, given the opening as a fraction of its maximum; a stack must be released."""
        task = self.task
        if task.name.startswith("stack") and opening < OPEN:
            return False
        detected = [
            self._detects(detection.sensor, self._shape(detection.shape)) is not detection.negated
            for detection in task.detected
        ]
        return all(detected) and (not task.dirt or len(self._dirt) <= task.most)

    def _handles_by_name(self, root: int, kind: str) -> dict[str, int]:
        return {str(self._link("getObjectAlias", handle)): handle for handle in self._link.tree(root, kind)}

    def _shape(self, name: str) -> int:
        if name not in self._shapes:
            raise BadInput(f"{self.task.model} has no shape '{name}', by which its success is judged.")
        return self._shapes[name]

    def _detects(self, sensor: str, handle: int) -> bool:
        if sensor not in self._sensors:
            raise BadInput(f"{self.task.model} has no proximity sensor '{sensor}', by which its success is judged.")
        answer = self._link("checkProximitySensor", self._sensors[sensor], handle)
        return int(answer[0] if isinstance(answer, list | tuple) else answer) == 1
