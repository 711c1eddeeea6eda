"""Homie's own language model: a small base model of another package, and the adapter that Homie has trained on it."""
