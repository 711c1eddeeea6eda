"""RoboBench (arXiv 2510.17801): questions about pictures, plans and failures (docs/question-benchmarks.md).

Its two code releases differ from each other and from the paper: `release_2025_10` (lyl750697268/RoboBench, 6c165b4) and
`release_2026_08` (yulin-luo/RoboBench, 103da5e) compute what they compute, including their defects. The other modules
are ours: every record stays in the denominator, and an unreadable answer scores zero and is counted.
"""
