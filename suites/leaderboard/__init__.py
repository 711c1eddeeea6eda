"""One page about planners across protocols: suites of tasks and questions, each with its own groups and measure."""
