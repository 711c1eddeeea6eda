"""What skills are trained on: episodes as frames at a constant rate, whoever recorded them.

demonstration.py   the contract: exporters and trainers take `Demonstration`s
films.py           their pictures as video files
recorded.py        from recordings
"""
