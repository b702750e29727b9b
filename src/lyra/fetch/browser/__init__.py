"""The user's own browser over its debugging port: started, shared, watched and closed again."""
