"""Skills whose policy runs elsewhere: `homie serve policy` on one machine, `--skills remote:ws://HOST:PORT` on another.

Only the policy, the network with its inference loop, is over there; see `Policy`. The robot half of the skills,
with goals, frames, limits and commands, is the same as ever and runs here.
"""
