"""Prompts of language models: templates, examples and pictures, filled in with the planner's input."""
