"""Runs a task again from its journal and the archive, without any network, and compares the two graphs."""
