"""Tells AI clients how to start Lyra: where each keeps its list of MCP servers, and editing that file in place."""
