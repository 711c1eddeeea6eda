"""User meshes (OBJ or GLB) that replace the visual shapes of the catalogue (docs/houses.md).

folder --library--> name: file --bundle--> bytes --reading--> Skin --meshed--> ObjectPlan
"""
