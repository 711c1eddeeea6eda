"""The contracts of Homie and its loop. It imports no other folder."""
