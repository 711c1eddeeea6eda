"""Contracts around planners: recall, prompts, and the data that training needs."""
