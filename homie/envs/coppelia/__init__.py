"""CoppeliaSim as a world of Homie: a Panda in a scene of a CoppeliaSim that runs already.

See docs/simulators.md#coppeliasim

```
skills --Command--> CoppeliaRobot --joint targets, step--> Link --ZMQ--> CoppeliaSim --poses, boxes--> WorldSnapshot
```
"""
