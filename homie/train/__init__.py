"""Training: from data sets of `homie data` to weights that a planner, skill or detector loads.

hyperparameters.py -> planner.py, skill.py, detector.py (the trainers of the registry) -> *_card.py, plot.py
"""
