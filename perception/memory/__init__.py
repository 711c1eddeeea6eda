"""The memory of a home: things, furniture, surfaces and doorways; and the names that planners get for them."""
