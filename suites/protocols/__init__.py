"""The protocols of the field beside EMMOE, by name: their rules and scores as pure functions.

No world, planner or run is imported here: whoever plays a protocol hands over what happened.
"""
