"""Detectors: named boxes from pictures, behind the interface `Detector`. docs/perception.md explains how to use each.

Nothing is imported here, because each detector needs its own packages.
"""
