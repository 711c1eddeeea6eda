"""Detectors: from pictures to named boxes, behind `homie.interfaces.Detector`. docs/perception.md says how to use each.

Nothing is imported here: each detector brings packages of its own.
"""
