"""EMMOE's two processes, model server and executor, each of which Homie can take the place of.

    executor (TCP client)                                 model server (TCP, port 10010)
    ["left.png", "back.png", "right.png", "front.png"]  ->
                                                        <-  Pick, apple|RT-1-X|None
    ["None", "success"]                                 ->
                                                        <-  feedback received!

Homie is the executor in `planner.py` and the model server in `serving.py`, over the messages of `wire.py`.
"""
