"""The contracts. Homie's folders meet here and nowhere else.

```
             PlannerInput            Goal                  Command
Robot ----> Detector ----> Planner ------> Skill ----------------> Robot
  Observation  |  Detection    | Decision    ^  act(observation)
               v               v             |
            Locator ------> Executor --------+
             Goal           (Checks, Feedback)
```
"""

from homie.kernel.interfaces.checks import CheckQuestion, ErrorCheck, ExecutionCheck, Trial
from homie.kernel.interfaces.delegation import ArmPlanner, Errand, Navigator
from homie.kernel.interfaces.detector import Detector
from homie.kernel.interfaces.kinematics import IkSolution, Kinematics
from homie.kernel.interfaces.listener import Announcer, EpisodeListener, Listeners
from homie.kernel.interfaces.locator import LOOSE, Locator, NameMatcher, WorldModel
from homie.kernel.interfaces.parts import NamedByUsers, SharedPart
from homie.kernel.interfaces.planner import Planner
from homie.kernel.interfaces.replay import Replay, ReplayedMoment, ReplayedWords
from homie.kernel.interfaces.robot import Robot, background
from homie.kernel.interfaces.skill import Skill, SkillSet
from homie.kernel.interfaces.world import (
    Filmable,
    FilmableFromAnywhere,
    Mirrored,
    OwnList,
    Performer,
    Privileged,
    Rearrangeable,
    WorldState,
)
from homie.kernel.world.names import kind_of

__all__ = [
    "LOOSE",
    "Announcer",
    "ArmPlanner",
    "CheckQuestion",
    "Detector",
    "EpisodeListener",
    "Errand",
    "ErrorCheck",
    "ExecutionCheck",
    "Filmable",
    "FilmableFromAnywhere",
    "IkSolution",
    "Kinematics",
    "Listeners",
    "Locator",
    "Mirrored",
    "NameMatcher",
    "NamedByUsers",
    "Navigator",
    "OwnList",
    "Performer",
    "Planner",
    "Privileged",
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
