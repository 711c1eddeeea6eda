"""Policy servers and clients of four other toolkits, by their dialects; those of openpi and of vla-eval on both sides.

codec      arrays in msgpack, as they write and read them
layouts    what the numbers and pictures of a checkpoint mean, declared and compared
hand       where the hand is, as states tell it
client     what clients of all dialects share: a policy on another server
served     what servers of both dialects share: a policy of ours for another client
openpi, vla_eval       the messages of each: client and session of a server
xpolicylab, gr00t      the messages of each: client
zmq_wire               how a server of GR00T is reached
skill_sets             `--skills openpi:ws://...` and the others
"""
