"""Skills for the verbs of a household (`homie.kernel.world.household_verbs`).

Switches are pressed by the hand; objects are handed over to people and shown to them; the robot follows people.

goal --articulations: the button--> Press; `ideal` sets the result of a verb in a simulated world
goal --surfaces: the held-out palm--> HandOver; --box, front: the face--> Show; --position, updated--> Follow
"""
