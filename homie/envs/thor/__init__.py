"""AI2-THOR as a world of Homie, and a fake for machines without it. docs/simulators.md

```
RunOptions --ThorSettings--> ThorRobot --step(action=...)--> Controller: a Simulator around ai2thor's own, or a fake
                                 ^                               |
                                 +-- metadata, frame, masks -----+
```
"""
