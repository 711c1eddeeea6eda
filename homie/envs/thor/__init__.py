"""AI2-THOR as a Homie environment, and a fake for machines without it. See docs/simulators.md

```
RunOptions --ThorSettings--> ThorRobot --step(action=...)--> Controller: a Simulator around ai2thor's own, or a fake
                                 ^                               |
                                 +-- metadata, frame, masks -----+
```
"""
