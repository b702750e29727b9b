"""Lyra: a local-first MCP server with which an AI client does research it can prove."""

__version__ = "0.1.0"
