"""Seeded nonsense for everything that reads what others wrote."""
