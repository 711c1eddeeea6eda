"""AI2-THOR as a world of Homie, and a stand-in that plays its part where there is none. docs/simulators.md

```
RunOptions --ThorSettings--> ThorRobot --step(action=...)--> Controller: ai2thor's own, or a stand-in
                                 ^                               |
                                 +-- metadata, frame, masks -----+
```
"""
