"""How far a domain is trusted, and what corroboration changes in that. Trust never enters confidence."""
