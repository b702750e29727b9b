"""Exports of a task for other programs, one format a file; `formats` lists them."""
