"""Training data from episodes: SFT conversations, DPO pairs, EMMOE's own format (paper, section 5.1 and appendix F).

run folders, folders of EMMOE-100 --sources--> episodes --examples--> lines --folder--> a data set on disk
"""
