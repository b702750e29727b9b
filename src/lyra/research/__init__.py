"""Orchestration: the life of a task and the phases of one search."""
