"""EmbodiedBench (arXiv 2502.09560): plans of numbered actions, paired subsets (docs/published-benchmarks.md)."""
