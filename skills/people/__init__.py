"""Skills for what is done with people (`homie.household.people`): handing over, showing, following.

goal --surfaces: the held-out palm--> HandOver; --box, front: the face--> Show; --position, ever anew--> Follow
"""
