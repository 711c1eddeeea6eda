"""Building blocks that several policies share. Each module imports torch; this one does not."""
