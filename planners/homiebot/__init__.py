"""Homie's own language model: a small base model from another package, with an adapter trained by Homie."""
