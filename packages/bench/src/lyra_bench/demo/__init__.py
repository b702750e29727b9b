"""The demonstration: a whole research session by a real MCP client over stdio, offline, on a simulated web."""
