"""From episodes to training examples: selection of steps, preference pairs, wording; and the data set on disk.

OUT/README.md                     the data card, with what `datasets` needs to load the folder
OUT/data.json                     a `DataFile`: recipe, counts, checksums; its presence marks a finished data set
OUT/train/metadata.jsonl          form chat: one line per example, with images/ beside it; test/ likewise
OUT/train.json, images/           form emmoe: a JSON list
OUT/.unfinished/                  while the data set is being made: see `homie.data.examples.journal`
"""
