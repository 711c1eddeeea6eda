"""The loop of an episode: agent, executor, inventory, senses."""
