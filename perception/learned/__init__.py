"""A small detector that is trained on labelled pictures of the home, and on any data set in the layout of COCO.

coco.py (files) -> examples.py (augmented pictures and training targets) -> training.py (network.py, losses.py)
-> export.py (ONNX) -> scoring.py (mAP)
"""
