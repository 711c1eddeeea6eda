"""Tasks by the thousand: errands drawn from templates, in generated houses, with some of them held out for tests.

```
templates --steps in a house--> TaskDraft --goal, key paths, expert--> Task --rehearsed--> suite file
```
"""

from homie.bench.authoring.errands.draw import Drawn, draw_suite

__all__ = ["Drawn", "draw_suite"]
