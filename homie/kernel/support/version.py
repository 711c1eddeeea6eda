"""The version of Homie, as written into files and pages."""

__version__ = "0.2.0"
