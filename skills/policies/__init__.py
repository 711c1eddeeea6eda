"""Shared code of learned skills: the policy interface, its images, motions and instructions, and network building
blocks."""
