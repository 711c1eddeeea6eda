"""Makes questions from simulated worlds, with exact truth. Privileged throughout: it reads the state of the worlds.

```
worlds --visit--> Unit (candidates that are used or refused together) --balance--> questions with pictures
```
"""
