"""Octo 1.5: a transformer with a diffusion head that turns two pictures and a text into four motions of the hand."""
