"""RT-1-X: a transformer that turns the last 15 pictures and a text into discretised motions of hand and base."""
