"""Classical skills: closed-loop controllers for Go to, Pick, Put, Open and Close on the robot interface."""
