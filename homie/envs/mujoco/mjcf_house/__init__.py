"""MJCF houses: recognise rooms, furniture, doors and objects of an MJCF file by geometry, joints and names."""
