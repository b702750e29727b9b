"""One model for each answer of the MCP tools and of the commands like them, filled once from domain objects."""
