"""What a language model is asked: templates, examples and pictures, filled in with what the robot knows."""
