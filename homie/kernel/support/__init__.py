"""Files, text, packages, checksums, configuration and headers: what every room needs and nobody comes for."""
