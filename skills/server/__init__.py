"""Skills whose policy runs elsewhere: `homie serve policy` on one machine, `--skills remote:ws://HOST:PORT` on another.

Only the policy, the network with its inference loop, runs on the server; see `Policy`. The robot side of the skills,
with goals, frames, limits and commands, is unchanged and runs on the client.
"""
