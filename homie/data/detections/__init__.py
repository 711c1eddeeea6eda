"""Pictures with labelled boxes, for training detectors.

recipe.py -> making.py (houses to pictures, labels.py, camera.py) -> coco_and_yolo.py (COCO, YOLO), card.py
"""
