"""Training: from data sets of `homie data` to weights that a planner loads.

hyperparameters.py -> training.py (the loop around a trainer of the registry) -> card.py, plot.py
"""
