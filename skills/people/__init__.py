"""Skills for what is done with people (`homie.kernel.world.household`): handing over, showing, following.

goal --surfaces: the held-out palm--> HandOver; --box, front: the face--> Show; --position, ever anew--> Follow
"""
