"""Makers of the generated suites and of the episodes of homie-vigil: `python -m suites.authoring.make_NAME`."""
