"""The 100 tasks of homie-100: their texts, and the patterns that search for suitable houses."""

from __future__ import annotations

from suites.authoring.homie_100.tasks_carry import CARRY
from suites.authoring.homie_100.tasks_choice import CHOICE
from suites.authoring.homie_100.tasks_everything import ALL
from suites.authoring.homie_100.tasks_if import IF
from suites.authoring.homie_100.tasks_inside import INSIDE
from suites.authoring.homie_100.tasks_several import SEVERAL
from suites.authoring.homie_100.tasks_short import SHORT

ENTRIES = [*SHORT, *CARRY, *INSIDE, *ALL, *SEVERAL, *IF, *CHOICE]

TEST = (
    "wait-bedroom",
    "desk-lunch",
    "four-sorts",
    "three-cold",
    "banana-out",
    "clear-table-sofa",
    "empty-drawer",
    "apple-check-yes",
    "apple-check-no",
    "boxes-any-sofa",
)
"""The tasks of the split `test`: some of every attribute, and both branches of one condition."""
