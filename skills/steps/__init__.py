"""`--skills steps`: the eight small actions of EB-Navigation, by the base and the head (docs/embodiedbench.md)."""
