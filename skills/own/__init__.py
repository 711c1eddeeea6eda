"""The skill set of robots that carry out whole actions by themselves."""
