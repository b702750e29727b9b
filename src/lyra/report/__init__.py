"""What a reader takes away: the report skeleton with every quote and the way back to it."""
