"""PixNav (Cai et al., 2024): a transformer that walks to a pixel of its first picture, in six discrete actions."""
