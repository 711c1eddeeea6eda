"""Playing a bench: worker pools, the run folder of finished episodes, and checks of its validity."""
