"""Calibration: fits, their scores, and the bundled model's own fit. Pure."""
