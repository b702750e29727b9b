"""The command line: parse, call the application, show a table or JSON."""
