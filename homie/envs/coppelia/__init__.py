"""CoppeliaSim as a world of Homie: a Panda in a scene of a CoppeliaSim that runs already. docs/coppelia.md

```
skills --Command--> CoppeliaRobot --joint targets, step--> Link --ZMQ--> CoppeliaSim --poses, boxes--> WorldSnapshot
```
"""
