"""Local models as planners, through Hugging Face transformers. Imported only when used.

find_model.py -> loading.py (families.py) -> engine.py (grammar.py) -> batching.py -> model.py
model.py -> planner.py
"""
