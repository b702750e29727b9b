"""Checking a text against what was read: its citations, quotations, figures and statements."""
