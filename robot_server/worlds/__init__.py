"""Simulators of others as served robots. Each runs in an environment of its own (`homie env make NAME`)."""
