"""From episodes to examples: which steps teach, what is preferred to what, in which words; and a data set on disk.

OUT/README.md                     the data card, with what `datasets` needs to load the folder
OUT/data.json                     a `DataFile`: what it was made of and how, counts, checksums; there means finished
OUT/train/metadata.jsonl          form chat: a line each, beside it images/; test/ likewise
OUT/train.json, images/           form emmoe: a JSON list
OUT/.unfinished/                  while it is made: see `homie.data.examples.journal`
"""
