"""A human in place of a model: an endpoint whose answers a person gives in a browser, seeing what a model would see.

desk.py (what waits for an answer) <- server.py (chat completions on one side, the page on the other) <- serving.py
"""
