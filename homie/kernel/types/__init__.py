"""Homie's basic data types. Every value that crosses a boundary between folders is one of these.

Units and frames: SI, radians, REP-103 (x forward, y left, z up). The *odometry frame* is fixed to the floor and
starts at the scene origin in simulators, at the robot's start pose on hardware; every position below is in it
unless a docstring says otherwise. Images are HxWx3 uint8 RGB, depth is HxW float32 metres (0 = no return).
"""

from typing import TYPE_CHECKING

from homie.kernel.error_codes import ErrorCode, no_target, unknown_action, unskilled_model
from homie.kernel.support.deprecated_imports import renamed
from homie.kernel.types.arrangement import Arrangement, Lying
from homie.kernel.types.commands import Command, SentCommand, Target
from homie.kernel.types.events import (
    AttemptEnded,
    CommandSent,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    PeriodPassed,
    PlannerAnswered,
    PlannerAsked,
    SubtaskChecked,
    SubtaskRecorded,
    SubtaskStarted,
)
from homie.kernel.types.failure_reasons import Failure, FailureReason
from homie.kernel.types.feedback import SUCCESS, UNTOLD, Feedback, HistoryItem
from homie.kernel.types.geometry import (
    Array,
    Box,
    Depth,
    Image,
    Mask,
    Pose,
    Pose2,
    Solid,
    mask_bounds,
    planar_rotation,
    quaternion_rotation,
    rotation_z,
    short_way,
    wrap_angle,
    wrap_angles,
)
from homie.kernel.types.goals import Articulation, Goal, OccupancyGrid, Surface
from homie.kernel.types.limits import EndedBy, Limits
from homie.kernel.types.observations import (
    FLOOR,
    VIEWS,
    CameraFrame,
    Detection,
    GripperState,
    Intrinsics,
    NamedThing,
    NumberedObject,
    Observation,
    Proprioception,
    in_sight,
)
from homie.kernel.types.planner_input import PlannerInput
from homie.kernel.types.quirks import NO_QUIRKS, Quirks
from homie.kernel.types.records import Attempt, Check, EpisodeResult, Execution, Outcome, RoundRecord
from homie.kernel.types.subtasks import (
    BY_PERSON,
    END,
    END_FAILURE,
    END_SUCCESS,
    ENDED_BY_PERSON,
    HELD,
    INPUT_ENDED,
    REPORTS,
    WITHOUT_REASON,
    Answer,
    Choice,
    Decision,
    Report,
    SentTo,
    Subtask,
    Who,
    is_interaction,
    model_key,
    with_held,
)
from homie.kernel.types.visibility import FeedbackPolicy, HistoryPolicy, ThingsPolicy, Visibility

__all__ = [
    "BY_PERSON",
    "END",
    "ENDED_BY_PERSON",
    "END_FAILURE",
    "END_SUCCESS",
    "FLOOR",
    "HELD",
    "INPUT_ENDED",
    "NO_QUIRKS",
    "REPORTS",
    "SUCCESS",
    "UNTOLD",
    "VIEWS",
    "WITHOUT_REASON",
    "Answer",
    "Arrangement",
    "Array",
    "Articulation",
    "Attempt",
    "AttemptEnded",
    "Box",
    "CameraFrame",
    "Check",
    "Choice",
    "Command",
    "CommandSent",
    "Decision",
    "Depth",
    "Detection",
    "EndedBy",
    "EpisodeEnded",
    "EpisodeResult",
    "EpisodeStarted",
    "ErrorCode",
    "Event",
    "Execution",
    "Failure",
    "FailureReason",
    "Feedback",
    "FeedbackPolicy",
    "Goal",
    "GripperState",
    "HistoryItem",
    "HistoryPolicy",
    "Image",
    "Intrinsics",
    "Limits",
    "Lying",
    "Mask",
    "NamedThing",
    "NumberedObject",
    "Observation",
    "OccupancyGrid",
    "Outcome",
    "PeriodPassed",
    "PlannerAnswered",
    "PlannerAsked",
    "PlannerInput",
    "Pose",
    "Pose2",
    "Proprioception",
    "Quirks",
    "Report",
    "RoundRecord",
    "SentCommand",
    "SentTo",
    "Solid",
    "Subtask",
    "SubtaskChecked",
    "SubtaskRecorded",
    "SubtaskStarted",
    "Surface",
    "Target",
    "ThingsPolicy",
    "Visibility",
    "Who",
    "in_sight",
    "is_interaction",
    "mask_bounds",
    "model_key",
    "no_target",
    "planar_rotation",
    "quaternion_rotation",
    "rotation_z",
    "short_way",
    "unknown_action",
    "unskilled_model",
    "with_held",
    "wrap_angle",
    "wrap_angles",
]

if not TYPE_CHECKING:
    __getattr__ = renamed(
        __name__,
        {
            "Telling": "Visibility",
            "Listed": "NumberedObject",
            "wrapped": "wrap_angles",
            "wrapped_angle": "wrap_angle",
        },
    )
