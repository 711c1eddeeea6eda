"""Tasks of the suite homie-eb-nav: ways to a thing, each said in the five ways of EB-Navigation's subsets.

house --start, target--> way: the same small actions that a planner has --words--> four texts
"""
