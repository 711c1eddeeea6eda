"""Integrations: Homie's robots and suites for agents, evaluation frameworks and other toolkits.

One file or folder for each. No other package of Homie imports them: commands, entry points and users do.
docs/integrations.md has a recipe for each.
"""
