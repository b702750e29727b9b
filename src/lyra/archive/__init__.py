"""Archive: every exchange with the web as WARC, readable by its place in the file."""
