"""The words of the field as data: the table of actions, what open, closed and within reach mean, what is known."""
