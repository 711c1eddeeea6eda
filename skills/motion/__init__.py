"""Shared base of the skills that move the robot: motion routines, base and arm paths, standing places.

goal, map --planning--> path --driving--> base; --reaching--> standing --ways, collision--> arm --manipulation--> hand
"""
