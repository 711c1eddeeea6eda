"""Skills for the verbs of a household (`homie.kernel.world.household_verbs`).

Switches are pressed by the hand; things are handed over to people and shown to them, who are followed.

goal --articulations: the button--> Press; `ideal` sets the result of a verb in a simulated world
goal --surfaces: the held-out palm--> HandOver; --box, front: the face--> Show; --position, ever anew--> Follow
"""
