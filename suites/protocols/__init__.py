"""The protocols of the field beside EMMOE, a room each: their rules and scores as pure functions.

No world, planner or run is imported here: whoever plays a protocol hands over what happened.
"""
