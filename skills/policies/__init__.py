"""What learned skills share: a policy behind an interface, its pictures, motions and words, and building blocks of
networks."""
