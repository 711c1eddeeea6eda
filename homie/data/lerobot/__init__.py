"""LeRobotDataset v3: write demonstrations as data sets of Hugging Face LeRobot and read them. lerobot is not needed.

info.py           contents of `meta/info.json`, checked
columns.py        file names and columns
statistics.py     the ten statistics of every column
language.py       plans, subtasks and failures as language columns
task_tables.py    the parquet files of tasks and episodes
card.py           README.md, the card of a data set
folder.py         a data set on disk: its contents, and the remains of an interrupted export
writer.py         writes demonstrations, in batches that are committed completely or not at all
picture_reader.py reads pictures stored in tables
reader.py         reads demonstrations
"""
