"""PixNav (Cai et al., 2024): a transformer that drives to a pixel of its first image, with six discrete actions."""
