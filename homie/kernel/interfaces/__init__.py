"""Abstract base classes and protocols: the only interface between Homie's folders.

```
             PlannerInput            Goal                  Command
Robot ----> Detector ----> Planner ------> Skill ----------------> Robot
  Observation  |  Detection    | Decision    ^  act(observation)
               v               v             |
            Locator ------> Executor --------+
             Goal           (Checks, Feedback)
```
"""

from typing import TYPE_CHECKING

from homie.kernel.interfaces.checks import CheckQuestion, ErrorCheck, ExecutionCheck, Trial
from homie.kernel.interfaces.delegation import ArmPlanner, GoalHandle, Navigator
from homie.kernel.interfaces.detector import Detector
from homie.kernel.interfaces.kinematics import IkSolution, Kinematics, ReachBound
from homie.kernel.interfaces.listener import Announcer, EpisodeListener, Listeners
from homie.kernel.interfaces.locator import LOOSE, Locator, NameMatcher, WorldModel
from homie.kernel.interfaces.parts import Configurable, SharedPart
from homie.kernel.interfaces.planner import Planner
from homie.kernel.interfaces.replay import Replay, ReplayedMoment, ReplayedWords
from homie.kernel.interfaces.robot import Robot, background
from homie.kernel.interfaces.simulator_abilities import (
    Filmable,
    FilmableFromAnywhere,
    GroundTruthAccess,
    Mirrored,
    OwnList,
    Performer,
    Rearrangeable,
    WorldState,
)
from homie.kernel.interfaces.skill import Skill, SkillSet
from homie.kernel.support.deprecated_imports import renamed
from homie.kernel.world.entity_names import kind_of

__all__ = [
    "LOOSE",
    "Announcer",
    "ArmPlanner",
    "CheckQuestion",
    "Configurable",
    "Detector",
    "EpisodeListener",
    "ErrorCheck",
    "ExecutionCheck",
    "Filmable",
    "FilmableFromAnywhere",
    "GoalHandle",
    "GroundTruthAccess",
    "IkSolution",
    "Kinematics",
    "Listeners",
    "Locator",
    "Mirrored",
    "NameMatcher",
    "Navigator",
    "OwnList",
    "Performer",
    "Planner",
    "ReachBound",
    "Rearrangeable",
    "Replay",
    "ReplayedMoment",
    "ReplayedWords",
    "Robot",
    "SharedPart",
    "Skill",
    "SkillSet",
    "Trial",
    "WorldModel",
    "WorldState",
    "background",
    "kind_of",
]


if not TYPE_CHECKING:
    __getattr__ = renamed(
        __name__,
        {"Errand": "GoalHandle", "NamedByUsers": "Configurable", "Privileged": "GroundTruthAccess"},  # codespell:ignore
    )
