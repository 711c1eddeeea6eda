"""Learned policies that move the hand step by step from pictures and a text.

rt1x_*: RT-1-X, a transformer that turns the last 15 pictures into discretised motions of hand and base.
octo_*: Octo 1.5, a transformer with a diffusion head that turns two pictures into four motions of the hand.
"""
