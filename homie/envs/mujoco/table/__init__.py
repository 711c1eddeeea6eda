"""A Franka Panda on a table: four families of tasks after EmbodiedBench's manipulation, from seeds."""
