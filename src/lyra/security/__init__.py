"""The layers between foreign text and language models (SPEC §10, docs/explanation/security.md)."""
