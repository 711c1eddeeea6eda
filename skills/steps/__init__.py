"""`--skills steps`: the eight small actions of EB-Navigation, by base and head (docs/published-benchmarks.md)."""
