"""Tasks of the suite homie-states: what to ask for in a house with states, and how an expert does it.

house --task--> Draft: words, goal, steps; Unsuited where the house has not what the task is about
"""
