"""What a robot is: its body in named groups, the safety gate, the conventions of policies and robots."""
