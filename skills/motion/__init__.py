"""What skills that move the robot share: routines of motions, ways of base and arm, places to stand.

goal, map --planning--> path --driving--> base; --reaching--> standing --ways, collision--> arm --manipulation--> hand
"""
