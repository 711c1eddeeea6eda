"""NoMaD (Sridhar et al., 2023): a diffusion policy that drives to goal images, along a topological map, or explores."""
