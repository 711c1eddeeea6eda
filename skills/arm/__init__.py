"""Discretised arm actions as a skill: Move, with seven numbers as EmbodiedBench has them."""
