"""Search engines: how each is asked and read, and how their answers become one list."""
