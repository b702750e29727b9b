"""Weights of the large reader; data only."""
