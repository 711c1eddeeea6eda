"""Utilities for all packages: files, text, installed packages, checksums, configuration and HTTP headers."""
