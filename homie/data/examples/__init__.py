"""From episodes to examples: which steps teach, what is preferred to what, in which words."""
