"""Learned policies that move the hand step by step from images and a text.

rt1x_*: RT-1-X, a transformer that maps the last 15 images to discretised motions of hand and base.
octo_*: Octo 1.5, a transformer with a diffusion head that maps two images to four motions of the hand.
"""
