"""Building blocks that several policies share. Every module here imports torch; this one does not."""
