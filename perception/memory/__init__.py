"""What is remembered of a home: things, furniture, surfaces and doorways; and what a planner is told was seen."""
