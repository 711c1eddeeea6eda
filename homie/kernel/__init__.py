"""Interfaces, data types and agent loop of Homie. Imports no other folder."""
