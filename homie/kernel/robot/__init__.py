"""Robots: specification of the body by named groups of joints, the safety gate, conventions of policies and robots."""
