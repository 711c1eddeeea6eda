"""Suites, the runner that plays them, and what is made of their run folders."""
