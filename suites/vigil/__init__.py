"""`homie-vigil`: episodes of Vigil's protocol in the embedded home, played and scored (docs/question-benchmarks.md)."""
