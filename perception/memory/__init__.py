"""The memory of a home: objects, furniture, surfaces and doorways, and their names in the input of planners."""
