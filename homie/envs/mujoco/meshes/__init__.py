"""Meshes that a user has (OBJ or GLB) in the place of the shapes that the catalogue draws (docs/houses.md).

folder --library--> name: file --bundle--> bytes --reading--> Skin --meshed--> ObjectPlan
"""
