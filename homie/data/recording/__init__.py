"""Recordings that survive a kill: measurements, pictures and commands of a robot driven by a person or a planner.

topics.py (contents of the file) <- mcapfile.py (writing, reading, repair) <- recorder.py (writes events to the file)
notes.py (notes by people)                                                 <- takes.py (recordings in a folder)
                                                                           <- reader.py (a recording as arrays)

A recording is a run folder (docs/run-folder.md) whose episode has two more files, `recording.mcap` and `notes.jsonl`:
every reader of run folders can read recordings.

Skills are trained on episodes as frames at a constant rate, whoever recorded them:
demonstration.py (the contract: exporters and trainers take `Demonstration`s) <- recording_to_demonstration.py
                                                                              <- video_files.py (pictures as videos)
"""
