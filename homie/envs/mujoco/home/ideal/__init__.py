"""Sets the running home to the result of an action, without the motion that leads to it. Privileged.

skill set `ideal` --set_outcome--> Rearranging --poses, doors, grip--> state of the home
"""
