"""LeRobotDataset v3: demonstrations as the data sets of Hugging Face LeRobot, and back. lerobot itself is not needed.

info.py        what `meta/info.json` says, checked
columns.py     which file has what, and which columns there are
statistics.py  the ten numbers of every column
language.py    plans, subtasks and failures as language columns
task_tables.py the parquet files of tasks and episodes
card.py        README.md, the card of a data set
folder.py      a data set on disk: what it holds, and what an interrupted export has left in it
writer.py      demonstrations into it, in batches that are there whole or not at all
pictures.py    pictures that are kept in tables
reader.py      demonstrations from it
"""
