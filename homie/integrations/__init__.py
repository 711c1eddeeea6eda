"""Integrations: Homie's robots and suites for agents, evaluation frameworks and other toolkits.

One file or folder for each. Nothing of Homie imports them: a command, an entry point or a user does.
docs/integrations.md has a recipe for each.
"""
