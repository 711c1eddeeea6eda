"""EMMOE's two processes, model server and executor, either of which Homie can replace.

    executor (TCP client)                                 model server (TCP, port 10010)
    ["left.png", "back.png", "right.png", "front.png"]  ->
                                                        <-  Pick, apple|RT-1-X|None
    ["None", "success"]                                 ->
                                                        <-  feedback received!

Homie is the executor in `planner.py` and the model server in `serving.py`, with the messages of `wire.py`.
"""
