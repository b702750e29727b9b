"""Measuring the product's own paths on gold data: stance and ranking."""
