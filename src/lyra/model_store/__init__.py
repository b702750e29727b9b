"""Models of the user's own: pulled by hash, checked, calibrated, measured, and put to use."""
