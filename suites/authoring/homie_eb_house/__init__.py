"""Tasks of the suite homie-eb-house: errands, each said in the six ways of EmbodiedBench's subsets.

house --errands--> TaskTemplate: steps, goal, what it is about --paraphrases--> six texts

`Unsuited` is raised where a house has not what a draw is about, or where words would mean two things.
"""
