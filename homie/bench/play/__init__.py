"""Playing a bench: jobs to workers, a run folder of finished episodes, and whether what is in it can be trusted."""
