"""Policy servers and clients of others: the dialects of openpi and of vla-eval, spoken on both sides.

codec      arrays in msgpack, as both write and read them
layouts    what the numbers and pictures of a checkpoint mean, declared and compared
client     what clients of both dialects share: a policy on a server of others
served     what servers of both dialects share: a policy of ours for a client of others
openpi, vla_eval    the messages of each: client and session of a server
skill_sets          `--skills openpi:ws://...` and `--skills vla-eval:ws://...`
"""
