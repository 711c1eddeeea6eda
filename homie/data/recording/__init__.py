"""Recordings that survive a kill: measurements, pictures and commands while a person, or a planner, drove a robot.

topics.py (what is in the file) <- mcapfile.py (writing, reading, repair) <- recorder.py (what happens, into the file)
notes.py (what people say about it)                                       <- takes.py (recordings in a folder)
                                                                          <- reader.py (a recording as arrays)

A recording is a run folder (docs/run-folder.md) whose episode has two files more, `recording.mcap` and `notes.jsonl`:
whatever reads run folders reads recordings.

What skills are trained on, whoever recorded it, are episodes as frames at a constant rate:
demonstration.py (the contract: exporters and trainers take `Demonstration`s) <- recording_to_demonstration.py
                                                                              <- films.py (their pictures as videos)
"""
