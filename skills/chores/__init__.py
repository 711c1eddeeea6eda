"""Skills for the verbs of a household (`homie.kernel.world.household`): switches are pressed by the hand.

goal --articulations: the button--> Press; `ideal` sets the result of a verb in a simulated world
"""
