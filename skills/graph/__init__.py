"""Moves on a graph of navigation points, as EmbodiedEval's agents move (section 3.2.1 of its paper).

home at the start --survey--> Ground --chart--> Graph --Move forward, Turn left, ...--> the next pose
"""
