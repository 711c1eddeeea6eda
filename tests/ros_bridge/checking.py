"""Checks of a robot by its profile, in this process."""

from __future__ import annotations

from collections.abc import Callable

from ros_bridge.profiles.model import Profile
from ros_bridge.profiles.profile_check import Finding, check_profile
from ros_bridge.transport.interface import Node

LENGTHS = (1.5, 5.0, 15.0)
"""Seconds."""


def check_until(node: Node, profile: Profile, expected: Callable[[list[Finding]], object]) -> list[Finding]:
    """The findings of a check that are as expected, or those of the last one, which has listened for the longest: on a
    busy machine messages come late."""
    for length in LENGTHS:
        findings = check_profile(node, profile, length)
        if expected(findings):
            break
    return findings


def problems_of(findings: list[Finding]) -> dict[str, str]:
    """What is wrong, by the names of topics, actions and frames."""
    return {finding.name: finding.problem for finding in findings if finding.problem}


def good(findings: list[Finding]) -> set[str]:
    """The parts without a problem."""
    return {finding.part for finding in findings if not finding.problem}
