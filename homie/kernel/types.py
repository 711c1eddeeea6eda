"""The words of Homie as types. Every value that crosses a boundary between folders is one of these.

Units and frames: SI, radians, REP-103 (x forward, y left, z up). The *odometry frame* is fixed to the floor and
starts at the scene origin in simulators, at the robot's start pose on hardware; every position below is in it
unless a docstring says otherwise. Images are HxWx3 uint8 RGB, depth is HxW float32 metres (0 = no return).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homie.kernel.actions import ARGUMENTS, WORDS, Ability, Arguments
from homie.kernel.knowledge import Knowledge

Array: TypeAlias = NDArray[np.float64]
Image: TypeAlias = NDArray[np.uint8]
Depth: TypeAlias = NDArray[np.float32]
Mask: TypeAlias = NDArray[np.bool_]

VIEWS = ("front", "left", "back", "right")
"""The four cardinal views in the order of the paper (section 4.2, appendix D): counter-clockwise from front."""


# ---------------------------------------------------------------- planner side


@dataclass(frozen=True, slots=True)
class Subtask:
    """`{action, target[, destination]}`, equation 5 of the EMMOE paper plus the place of a Put."""

    action: str
    target: str = ""
    destination: str = ""

    def __str__(self) -> str:
        return "[" + ", ".join(part for part in (self.action, self.target, self.destination) if part) + "]"


END = Subtask("End")


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a language model, as it came, with what it took.

    problem: why it could not be read as a decision, "" where it could. leniencies: the rules by which an answer was
    read that does not follow the protocol to the letter (docs/answers.md). cost: US dollars, 0 where the price is not
    known. cached: it came from the response cache and took nothing. seconds: wall clock. cache_read_tokens: those of
    the input that the provider had in a cache of its own.
    """

    text: str
    reasoning: str = ""
    problem: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cached: bool = False
    seconds: float = 0.0
    cache_read_tokens: int = 0
    leniencies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """One planner output: analysis, one or more subtasks, the chosen model, and the raw text it came from.

    `model` is the low-level model that the planner chose for the subtasks; "" leaves the choice to the executor.
    `problem` says, in words for the planner, why its output could not be read; there are no subtasks then, and the
    episode goes on with that as F1 feedback. `answers` are all answers on the way here, unreadable ones included.
    `system` and `question` are the system message and the text of the round's question as a language model was sent
    them; a run folder has the SHA-256 of `system`, and the text once, under that name.
    """

    subtasks: tuple[Subtask, ...]
    analysis: str = ""
    model: str = ""
    raw: str = ""
    problem: str = ""
    answers: tuple[Answer, ...] = ()
    system: str = ""
    question: str = ""


def model_key(name: str) -> str:
    """What two spellings of a model's name have in common: `RT-1-X` and `rt1x` are the same model."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


class ErrorCode(StrEnum):
    """The ten codes of EMMOE, section 4.3 and appendix E.4: each with its meaning in a few words and with the sentence
    of the official code, to the letter, in which `action`, `item` and `container` are filled in.

    A code is added here and in its layer of `error_detection/`, nowhere else.

    >>> ErrorCode.D1.sentence.format(action="pick")
    'Unable to pick, the target is far away'
    """

    meaning: str
    sentence: str

    def __new__(cls, code: str, meaning: str = "", sentence: str = "") -> ErrorCode:
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning, member.sentence = meaning, sentence
        return member

    F1 = (
        "F1",
        "unknown action or model, or unreadable output",
        "{action} is not in the action list! You should only choose actions in the list.",
    )
    F2 = "F2", "unknown target", "{item} does not exist! Please choose another object"
    L1 = "L1", "the hand is full", "Unable to {action}, the hand is full"
    L2 = "L2", "the hand is empty", "Unable to {action}, the hand is empty"
    L3 = "L3", "the container is closed", "Unable to {action}, the {container} is closed, you should open it first"
    L4 = "L4", "not something to interact with", "Can not {action} {item}! Please choose another object"
    D1 = "D1", "too far away", "Unable to {action}, the target is far away"
    D2 = "D2", "too close", "Unable to {action}, the target is too close"
    E1 = "E1", "still failing after all attempts", "Unable to {action}, the subtask is too difficult to perform"
    E2 = "E2", "the object is gone", "Unable to {action}, and the object is missing"


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the planner is told about its last subtask. `code` is None exactly when `status` is success.

    about: the names of what it is about besides the target, as a planner may say them: the container that is closed
    (L3), the things that are in the way (E1). lasting: whether the same subtask would end the same as long as nothing
    else is changed, as far as a failed skill knows.
    """

    status: Literal["success", "fail"]
    code: ErrorCode | None = None
    message: str = "None"
    about: tuple[str, ...] = ()
    lasting: bool = False

    @property
    def ok(self) -> bool:
        return self.status == "success"


SUCCESS = Feedback("success")


@dataclass(frozen=True, slots=True)
class HistoryItem:
    """One executed subtask and its result, as the planner is told in later rounds."""

    number: int
    subtask: Subtask
    feedback: Feedback

    def __str__(self) -> str:
        return f"({self.number}) {self.subtask}({self.feedback.status})"


@dataclass(frozen=True, slots=True)
class PlannerInput:
    """I = {o1..4, s, T, inv, h, f} of equation 4 (the system information s belongs to the planner).

    `views` maps `VIEWS` to images. `detections` lists what the detector reported in those images: names, boxes
    and views, no depth and no world state. `actions` and `models` are the lists the planner may choose from. `rounds`
    is the last round that there will be. `listing` is what a suite tells besides, by line: of an arm on a table the
    things by number with their places; the detections of the first view are then in its order. `arguments` is what
    each action takes, `words` other words for actions, `abilities` what each of the models can do. `knowledge` is what
    is remembered of the home. `hand` is what the camera at the hand sees, for a planner that `looks_at_hand`.
    """

    task: str
    round: int
    views: Mapping[str, Image]
    detections: tuple[Detection, ...]
    inventory: tuple[str, ...]
    history: tuple[HistoryItem, ...]
    feedback: Feedback | None
    actions: tuple[str, ...]
    models: tuple[str, ...]
    rounds: int = 20
    listing: tuple[str, ...] = ()
    arguments: Arguments = field(default_factory=lambda: ARGUMENTS)
    words: Mapping[str, str] = field(default_factory=lambda: WORDS)
    abilities: Mapping[str, Ability] = field(default_factory=dict)
    knowledge: Knowledge = field(default_factory=Knowledge)
    hand: Image | None = None

    @property
    def inventory_text(self) -> str:
        """`None` or the held names joined with blanks, as the paper's prompt has it (appendix D)."""
        return " ".join(self.inventory) or "None"

    @property
    def history_text(self) -> str:
        return " ".join(str(item) for item in self.history) or "None"


# ---------------------------------------------------------------- geometry


@dataclass(frozen=True, slots=True)
class Pose2:
    """A pose on the floor: x, y in metres, yaw in radians."""

    x: float
    y: float
    yaw: float

    @property
    def xy(self) -> Array:
        return np.array([self.x, self.y])

    def transform(self, point: Array) -> Array:
        """A point (3,) given in this pose's frame, in the parent frame."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return np.array([self.x + c * point[0] - s * point[1], self.y + s * point[0] + c * point[1], float(point[2])])

    def inverse(self, point: Array) -> Array:
        """A point (3,) given in the parent frame, in this pose's frame."""
        dx, dy = float(point[0]) - self.x, float(point[1]) - self.y
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return np.array([c * dx + s * dy, -s * dx + c * dy, float(point[2])])


@dataclass(frozen=True, slots=True)
class Pose:
    """A pose in space: position (3,) in metres, rotation matrix (3, 3), columns are the frame's axes."""

    position: Array
    rotation: Array


@dataclass(frozen=True, slots=True)
class Box:
    """An upright box: centre (3,), half extents (3,) along its own axes, yaw of those axes; name of what is in it."""

    center: Array
    half: Array
    yaw: float = 0.0
    name: str = ""

    def corners(self) -> Array:
        """The four footprint corners, (4, 2), counter-clockwise."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * self.half[:2]
        corners: Array = self.center[:2] + signs @ np.array([[c, s], [-s, c]])
        return corners

    def distance(self, point: Array) -> float:
        """Metres from a point (2,) on the floor plan to the footprint; 0 inside."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        delta = np.asarray(point[:2]) - self.center[:2]
        local = np.abs(np.array([c * delta[0] + s * delta[1], -s * delta[0] + c * delta[1]]))
        return float(np.linalg.norm((local - self.half[:2]).clip(min=0.0)))

    @classmethod
    def around(cls, parts: Sequence[Solid], yaw: float = 0.0) -> Box:
        """The smallest upright box of that yaw around one solid or more."""
        c, s = np.cos(yaw), np.sin(yaw)
        axes = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        high = np.max([part.reach(axes) for part in parts], axis=0)
        low = -np.max([part.reach(-axes) for part in parts], axis=0)
        return cls((low + high) / 2 @ axes, (high - low) / 2, float(yaw))


@dataclass(frozen=True, slots=True)
class Solid:
    """A convex solid where it is now; a loose object is made of one or a few.

    half (3,): half its size along its own axes. The axis of cylinders and capsules is z, and the round ends of a
    capsule count. pose: its middle and its own axes, in the odometry frame. points (n, 3): corners of a hull, in its
    own frame.
    """

    kind: Literal["sphere", "ellipsoid", "cylinder", "capsule", "box", "hull"]
    half: Array
    pose: Pose
    points: Array | None = None

    def reach(self, directions: Array) -> Array:
        """How far it extends along unit vectors (n, 3): its largest coordinate (n,) along each, from the origin of the
        odometry frame. The support function of convex geometry, exact for every kind."""
        local = directions @ self.pose.rotation
        middle: Array = directions @ self.pose.position
        if self.points is not None:
            furthest: Array = (local @ self.points.T).max(axis=1)
        else:
            straight, curved = self.summands()
            furthest = np.abs(local) @ straight + np.linalg.norm(local * curved, axis=1)
        return middle + furthest

    def summands(self) -> tuple[Array, Array]:
        """Half sizes (3,) of the box and of the ellipsoid whose Minkowski sum it is, in its own frame: a capsule is a
        line and a ball, a cylinder a line and a disc. Support functions add up. Not of a hull."""
        radius, axis = float(self.half[0]), np.array([0.0, 0.0, 1.0])
        if self.kind == "cylinder":
            return self.half * axis, self.half * (1.0 - axis)
        if self.kind == "capsule":
            return (self.half - radius) * axis, np.full(3, radius)
        return (self.half, np.zeros(3)) if self.kind == "box" else (np.zeros(3), self.half)


# ---------------------------------------------------------------- observations


@dataclass(frozen=True, slots=True)
class Intrinsics:
    """Pinhole camera: focal lengths and principal point in pixels, image size in pixels."""

    fx: float
    fy: float
    cx: float
    cy: float
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class CameraFrame:
    """One RGB-D picture. `pose` is the optical frame (x right, y down, z forward) in the odometry frame.

    `instances` (H, W) int32 holds the simulated instance segmentation where a simulator provides it: an index into
    `instance_names`, -1 for nothing. It is a simulated sensor: hardware leaves it None and uses a real detector.
    """

    name: str
    rgb: Image
    depth: Depth | None
    intrinsics: Intrinsics
    pose: Pose
    instances: NDArray[np.int32] | None = None
    instance_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GripperState:
    """What a gripper feels: its opening (m) and how fast that changes (m/s), contact at the right and the left finger
    pad, whether it holds something."""

    opening: float
    contact: tuple[bool, bool] = (False, False)
    holding: bool = False
    speed: float = 0.0


@dataclass(frozen=True, slots=True)
class Proprioception:
    """What the robot feels.

    base: odometry. base_velocity: (v, w) in m/s and rad/s. joints: positions (rad, m) by name, of every group but bases
    and grippers. grippers: by group. velocities: of joints (rad/s, m/s) by name, where they are measured.
    """

    base: Pose2
    base_velocity: tuple[float, float] = (0.0, 0.0)
    joints: Mapping[str, float] = field(default_factory=dict)
    grippers: Mapping[str, GripperState] = field(default_factory=dict)
    velocities: Mapping[str, float] = field(default_factory=dict)

    @property
    def gripper(self) -> float:
        """Opening (m) of the first gripper, 0 without one."""
        return next((gripper.opening for gripper in self.grippers.values()), 0.0)

    @property
    def holding(self) -> bool:
        """Whether some gripper holds something."""
        return any(gripper.holding for gripper in self.grippers.values())


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything the robot sees and feels at `stamp` (monotonic seconds; simulated time in simulators).

    `frames` holds the cameras that were asked for, by name; the four cardinal ones are named as in `VIEWS`.
    """

    stamp: float
    body: Proprioception
    frames: Mapping[str, CameraFrame] = field(default_factory=dict)


FLOOR = "floor"
"""The part by which a room is detected (`Detection.is_room`)."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A named box in one view: pixels (x0, y0, x1, y1), upper bounds exclusive, score 0..1.

    `name` is what a person would call it (`red apple` -> `apple`); `instance` tells two of a kind apart within one
    run of a detector and means nothing to a planner. `part` is "" or a part such as `door` or `handle`. `mask`
    (H, W) marks the pixels where the detector gives them. `number` tells things of one name apart for a planner, 0
    where only one is known or nobody has numbered them.
    """

    name: str
    view: str
    box: tuple[int, int, int, int]
    score: float = 1.0
    instance: str = ""
    part: str = ""
    mask: Mask | None = field(default=None, repr=False, compare=False)
    number: int = 0

    @property
    def is_room(self) -> bool:
        """Whether it is a room, which is seen by its floor."""
        return self.part == FLOOR

    @property
    def called(self) -> str:
        """What a planner is told it is called, and may call it: `kitchen counter 2`."""
        return f"{self.name} {self.number}" if self.number else self.name


def in_sight(detections: Sequence[Detection]) -> tuple[Detection, ...]:
    """The rooms, and the things by view: whole, or by a door or drawer where no more of them is seen.

    The door of a closed fridge may fill a picture; the fridge is in sight all the same.
    """
    whole = {(one.view, one.instance or one.name) for one in detections if one.part in _WHOLE}
    return tuple(
        one
        for one in detections
        if one.part in _WHOLE or (one.part in _PANELS and (one.view, one.instance or one.name) not in whole)
    )


_WHOLE = ("", FLOOR)
_PANELS = ("door", "drawer")


@dataclass(frozen=True, slots=True)
class NamedThing:
    """Something that words can mean. name: of the instance (`apple_1`); kind: `apple`; room: where it is, if known."""

    name: str
    kind: str
    colour: str | None = None
    aliases: tuple[str, ...] = ()
    room: str = ""


# ---------------------------------------------------------------- commands


Target: TypeAlias = float | Sequence[float]
"""What a group is told: one number for each of its joints; a bare number where it has one."""


@dataclass(frozen=True, slots=True, init=False)
class Command:
    """What the robot is told for one control period, by group (`homie.kernel.body.Group`).

    A base is told its velocities (m/s, rad/s), a gripper its opening (m), every other group its joint positions (rad,
    m). A group that is left out keeps its last target; a base stops.

    Args:
        targets: By group; further ones may be given by keyword. None is left out.
        effector: Pose of the gripper in the base frame, turned into targets of torso and arm by the robot's own
            kinematics; not together with targets of theirs.

    Example:
        >>> Command(base=(0.3, 0.0), torso=0.2).get("torso")
        (0.2,)
    """

    targets: Mapping[str, Sequence[float]]
    effector: Pose | None

    def __init__(
        self,
        targets: Mapping[str, Target | None] = MappingProxyType({}),
        effector: Pose | None = None,
        **more: Target | None,
    ) -> None:
        together = {**targets, **more}
        values = {name: _numbers(value) for name, value in together.items() if value is not None}
        object.__setattr__(self, "targets", values)  # the dataclass is frozen
        object.__setattr__(self, "effector", effector)

    def get(self, group: str) -> Sequence[float] | None:
        """What a group is told, None where it is left out."""
        return self.targets.get(group)


def _numbers(value: Target) -> Sequence[float]:
    """A bare number as a tuple of one; what is no number is left for the safety gate to refuse."""
    return (value,) if isinstance(value, float | int | np.number) else value


@dataclass(frozen=True, slots=True)
class SentCommand:
    """What the safety gate made of a command: the requested one, the sent one, and what was changed and why."""

    requested: Command
    sent: Command
    changes: tuple[str, ...] = ()


# ---------------------------------------------------------------- goals


@dataclass(frozen=True, slots=True)
class Surface:
    """Where things can be put: a horizontal rectangle (top centre, half sizes along its own axes, yaw).

    `clearance` is the free height above it in metres (inf under the open sky). `access` is the unit vector (2,)
    from inside out through the only open side, or None where it can be reached from above. `lid` is the free height
    that is left when it is pushed in, as a drawer is (inf for what does not move).
    """

    center: Array
    half_x: float
    half_y: float
    yaw: float
    clearance: float = float("inf")
    access: Array | None = None
    lid: float = float("inf")


@dataclass(frozen=True, slots=True)
class Articulation:
    """A door or a drawer: how it moves and where to take it.

    axis_point, axis: (3,) each; for a hinge the point is on the axis and a positive angle (right-hand rule about
    `axis`) opens; for a slide `axis` is the opening direction. handle: centre (3,) now. handle_axis: unit vector
    along the bar. outward: unit vector (3,) pointing from the panel to the person. opening: how far it is open now,
    range: its largest opening, in rad or m. panel: the box of the moving panel as it stands now, where known.
    """

    kind: Literal["hinge", "slide"]
    axis_point: Array
    axis: Array
    handle: Array
    handle_axis: Array
    outward: Array
    opening: float
    range: float
    panel: Box | None = None


@dataclass(frozen=True, slots=True)
class OccupancyGrid:
    """Obstacles on the floor plan: `occupied` and `unknown` (ny, nx); cell (0, 0) has its lower corner at `origin`
    (2,), cells are `resolution` metres wide; y grows with the row."""

    occupied: Mask
    unknown: Mask
    origin: Array
    resolution: float


@dataclass(frozen=True, slots=True)
class Goal:
    """What a skill needs, made from a subtask by a goal adapter.

    name: the resolved entity or room. text: the subtask in words. position: its reference point (3,).
    box: its bounding box. surfaces: where to put (best first). obstacles: boxes of things standing there.
    articulations: doors and drawers that belong to it. room: the rectangle (x0, y0, x1, y1) if it is a spot.
    front: yaw of the side a person uses, for furniture. grid: where the base cannot be. solids: boxes near the target
    and near the robot that the arm keeps out of, but not a target object, nor the panels that Open and Close move.
    parts: the solids that a target object is made of, as it lies, where they are known. loose: boxes with names of what
    could be moved out of the way: near the target, and anywhere on the floor. seen: boxes of the target in the
    observation that an attempt begins with, for skills that have cameras.
    """

    name: str
    text: str
    position: Array
    box: Box | None = None
    surfaces: tuple[Surface, ...] = ()
    obstacles: tuple[Box, ...] = ()
    articulations: tuple[Articulation, ...] = ()
    room: tuple[float, float, float, float] | None = None
    front: float | None = None
    grid: OccupancyGrid | None = field(default=None, repr=False)
    solids: tuple[Box, ...] = field(default=(), repr=False)
    parts: tuple[Solid, ...] = field(default=(), repr=False)
    loose: tuple[Box, ...] = field(default=(), repr=False)
    seen: tuple[Detection, ...] = field(default=(), repr=False)


class Outcome(StrEnum):
    """How one attempt of a skill ended."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"


# ---------------------------------------------------------------- records


@dataclass(frozen=True, slots=True)
class Check:
    """One layer of error detection and what it found.

    layer: format, logical, distance or execution, or the name of a check of one's own. code: one of the ten. about,
    lasting: see `Feedback`.
    """

    layer: str
    code: ErrorCode | None = None
    message: str = ""
    about: tuple[str, ...] = ()
    lasting: bool = False

    @property
    def feedback(self) -> Feedback:
        """What a planner is told of it."""
        if self.code is None:
            return SUCCESS
        return Feedback("fail", self.code, self.message, self.about, self.lasting)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a skill: which one really ran, how it ended and why, over how much robot time and commands.

    stands_in_for: the model that was asked for, where another one's skill ran in its place; `run.json` says why. about:
    the names of what kept the skill from it (`homie.kernel.interfaces.Skill.about`).
    """

    number: int
    skill: str
    outcome: Outcome
    reason: str
    robot_seconds: float
    commands: int
    clamped: int = 0
    stands_in_for: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Execution:
    """What became of one subtask: the checks in the order made, the attempts, the feedback.

    skill_seconds: wall time that the skill took for its commands; records have it among their timings.
    """

    subtask: Subtask
    model: str
    checks: tuple[Check, ...]
    attempts: tuple[Attempt, ...]
    feedback: Feedback
    target: str = ""
    skill_seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One round of the agent loop, one line of `steps.jsonl` per executed subtask."""

    round: int
    decision: Decision
    execution: Execution
    inventory: tuple[str, ...]
    stamp: float
    timings: Mapping[str, float]

    @property
    def began(self) -> float:
        """Robot time (s) at which its first attempt began, to a control period or two; `stamp` where none was made."""
        return self.stamp - sum(attempt.robot_seconds for attempt in self.execution.attempts)
