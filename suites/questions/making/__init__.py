"""Questions made from simulated worlds, with exact truth. Privileged throughout: it reads the state of the worlds.

```
worlds --visit--> Unit (candidates that stand or fall together) --balance--> questions with pictures
```
"""
