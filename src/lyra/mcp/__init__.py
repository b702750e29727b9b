"""The MCP interface: parse, call the application, answer. No SQL, no HTTP client, no model code."""
