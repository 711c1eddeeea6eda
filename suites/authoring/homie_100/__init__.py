"""Tasks of homie-100 as texts and scripts, bound to generated houses."""
