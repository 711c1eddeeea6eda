"""Tasks of the suites homie-eb-house, homie-eb-rearrange, homie-eb-table and homie-eb-nav, each worded in the ways of
EmbodiedBench's subsets.

house --errands--> TaskTemplate: steps, goal, what it is about --paraphrases--> six texts
TableScene --errands--> TaskTemplate: a sentence with slots, what it is about --paraphrases--> five texts
house --start, target--> way: the same small actions that a planner has --words--> four texts

`UnsuitedHouse` and `UnsuitedScene` are raised where something is missing, or where words would be ambiguous.
"""
