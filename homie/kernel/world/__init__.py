"""World state: snapshots of a home, goal conditions on them, the rules by which states change, and thresholds.

```
thresholds, furniture, entity_names <- household_verbs (verbs and rules)
snapshot <- condition_words <- predicates, predicates_people <- conditions (the goal language)
```
"""

from __future__ import annotations

from typing import Any

from homie.kernel.support.deprecated_imports import attribute


def __getattr__(name: str) -> Any:
    return attribute("homie.kernel.world", name, "homie.kernel.world.snapshot")
