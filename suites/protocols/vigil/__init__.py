"""Vigil (arXiv 2605.08747): does an agent know when it is done, and does it say so (docs/question-benchmarks.md)."""
