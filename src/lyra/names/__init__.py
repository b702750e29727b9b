"""Names of organisations and people, addresses and identifiers in normal form, and how likely two are one. Pure."""
