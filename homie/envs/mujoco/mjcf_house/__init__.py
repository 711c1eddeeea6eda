"""MJCF houses: what an MJCF file of a house has in it, found by its geometry, joints and names."""
