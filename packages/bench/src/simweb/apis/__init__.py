"""Scholarly services of the simulated web: Semantic Scholar, OpenAlex, PubMed and the DOI resolver."""
