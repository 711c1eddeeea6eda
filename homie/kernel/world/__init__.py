"""What is true in a home: its state at one moment, the goals that hold in it, the rules by which it changes, and where
a yes ends and a no begins.

```
thresholds, furniture, names <- household (verbs and rules)
snapshot <- words <- predicates <- conditions (the goal language)
```
"""

from __future__ import annotations

from typing import Any

from homie.kernel.support.deprecated_imports import attribute


def __getattr__(name: str) -> Any:
    return attribute("homie.kernel.world", name, "homie.kernel.world.snapshot")
