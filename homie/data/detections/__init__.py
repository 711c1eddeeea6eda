"""Pictures with labelled boxes, for training detectors.

recipe.py -> making.py (houses to pictures, labels.py, camera.py) -> layouts.py (COCO, YOLO), card.py
"""
