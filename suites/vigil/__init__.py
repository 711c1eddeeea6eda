"""`homie-vigil`: the episodes of Vigil's protocol in the embedded home, played and scored (docs/vigil.md)."""
