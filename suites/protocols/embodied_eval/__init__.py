"""EmbodiedEval (arXiv 2501.11858): a numbered menu, 24 steps, predicates as goals (docs/published-benchmarks.md)."""
