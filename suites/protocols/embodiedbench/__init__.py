"""EmbodiedBench (arXiv 2502.09560): plans of numbered actions, paired subsets of tasks (docs/embodiedbench.md)."""
