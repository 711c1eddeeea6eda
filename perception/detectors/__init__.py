"""Detectors: from pictures to named boxes, behind the contract `Detector`. docs/perception.md says how to use each.

Nothing is imported here: each detector brings packages of its own.
"""
