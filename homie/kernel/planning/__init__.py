"""Contracts between planners and what they are told: recall, prompts, what training needs."""
