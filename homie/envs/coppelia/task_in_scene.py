"""A task of EB-Manipulation in a running CoppeliaSim: its objects brought in, its success by its own sensors."""

from __future__ import annotations

from homie.envs.coppelia.link import Link
from homie.envs.coppelia.released_task import ReleasedTask
from homie.kernel.errors import BadInput

OPEN = 0.9
"""Share of the widest opening from which the hand counts as open, as in the released evaluator."""


class TaskInScene:
    """The objects of an episode and the conditions on them, by handles."""

    def __init__(self, link: Link, task: ReleasedTask) -> None:
        self.task, self._link = task, link
        self._root: int | None = None
        self._shapes: dict[str, int] = {}
        self._sensors: dict[str, int] = {}
        self._dirt: dict[str, int] = {}

    def load(self) -> None:
        """Bring the objects in anew, where they are at the start. Raises BadInput where one is missing."""
        if self._root is not None:
            self._link("removeModel", self._root)
        self._root = int(self._link("loadModel", str(self.task.model.resolve())))
        self._shapes, self._sensors = (self._named(self._root, kind) for kind in ("shape", "proximitysensor"))
        self._dirt = {name: self._shape(name) for name in self.task.dirt}
        self.done(opening=1.0)  # says what is missing

    @property
    def hidden(self) -> frozenset[int]:
        """Handles of shapes that are no things: spots of dirt."""
        return frozenset(self._dirt.values())

    def update(self) -> None:
        """After a step: spots of dirt under the sponge vanish."""
        for name, handle in list(self._dirt.items()):
            if self._sees(self.task.wiper, handle):
                self._link("removeObjects", [handle])
                del self._dirt[name]

    def done(self, opening: float) -> bool:
        """Whether the task is done, with the hand open by a share; a stack has to be let go of."""
        task = self.task
        if task.name.startswith("stack") and opening < OPEN:
            return False
        detected = [
            self._sees(detection.sensor, self._shape(detection.shape)) is not detection.negated
            for detection in task.detected
        ]
        return all(detected) and (not task.dirt or len(self._dirt) <= task.most)

    def _named(self, root: int, kind: str) -> dict[str, int]:
        return {str(self._link("getObjectAlias", handle)): handle for handle in self._link.tree(root, kind)}

    def _shape(self, name: str) -> int:
        if name not in self._shapes:
            raise BadInput(f"{self.task.model} has no shape '{name}', by which its success is judged.")
        return self._shapes[name]

    def _sees(self, sensor: str, handle: int) -> bool:
        if sensor not in self._sensors:
            raise BadInput(f"{self.task.model} has no proximity sensor '{sensor}', by which its success is judged.")
        answer = self._link("checkProximitySensor", self._sensors[sensor], handle)
        return int(answer[0] if isinstance(answer, list | tuple) else answer) == 1
