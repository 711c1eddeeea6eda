"""Local models as planners, through Hugging Face transformers. Nothing here is imported before it is asked for.

find_model.py -> loading.py (families.py) -> engine.py (decoding.py, grammar.py) -> batching.py -> model.py
model.py -> planner.py
"""
