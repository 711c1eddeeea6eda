"""Tasks of the suite homie-eb-table: tables of the Panda, each said in the five ways of EB-Manipulation's subsets.

TableScene --errands--> TaskTemplate: a sentence with slots, what it is about --paraphrases--> five texts

`Unsuited` is raised where a scene has not what words could mean, or where they would mean two things.
"""
