"""Skills for the verbs of a household (`homie.kernel.world.household`): switches are pressed by the hand.

goal --articulations: the button--> Press; `ideal` sets what a verb comes to in a simulated world
"""
