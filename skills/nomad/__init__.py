"""NoMaD (Sridhar et al., 2023): a diffusion policy that drives to goal pictures, along a map of them, or explores."""
