"""PixNav (Cai et al., 2024): a transformer that drives to a pixel of its first picture, with six discrete actions."""
