"""Ranking: BM25, embedding, their fusion, and where to cut."""
