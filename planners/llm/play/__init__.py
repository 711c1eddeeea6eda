"""A stand-in for a mind: an endpoint behind which a person answers, in a browser, seeing what a model would see.

desk.py (what waits for an answer) <- server.py (chat completions on one side, the page on the other) <- serving.py
"""
