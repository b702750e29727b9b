"""The acceptance criteria A1–A21, each measured on the simulated web."""
