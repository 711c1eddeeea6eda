"""The version of Homie, for what is written into files and pages."""

__version__ = "0.2.0"
