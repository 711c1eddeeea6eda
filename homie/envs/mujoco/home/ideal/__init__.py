"""Sets the running home to what an action comes to, without the motion that leads there. Privileged.

skill set `ideal` --set_outcome--> Rearranging --poses, doors, grip--> state of the home
"""
