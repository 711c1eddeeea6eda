"""Policy servers and clients of four other toolkits, by their dialects; those of openpi and of vla-eval on both sides.

codec      arrays in msgpack, as they write and read them
layouts    conventions of the values and images of a checkpoint, declared and compared
hand       pose of the hand, as in the states of each dialect
client     shared by the clients of all dialects: a policy on another server
served     shared by the servers of both dialects: a policy of ours for another client
openpi, vla_eval       messages of each: client and session of a server
xpolicylab, gr00t      messages of each: client
zmq_wire               connection to a server of GR00T
skill_sets             `--skills openpi:ws://...` and the others
"""
