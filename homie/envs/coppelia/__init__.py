"""CoppeliaSim as a Homie environment: a Panda in a scene of an already running CoppeliaSim.

See docs/simulators.md#coppeliasim

```
skills --Command--> CoppeliaRobot --joint targets, step--> Link --ZMQ--> CoppeliaSim --poses, boxes--> WorldSnapshot
```
"""
