"""Detectors: named boxes from pictures, behind the contract `Detector`. docs/perception.md explains how to use each.

Nothing is imported here, because each detector needs packages of its own.
"""
