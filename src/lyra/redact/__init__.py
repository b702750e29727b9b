"""Redaction: what is a secret in addresses, headers and texts, and what stands in its place. The one home of it."""
