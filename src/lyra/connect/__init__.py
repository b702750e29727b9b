"""Telling AI clients how to start Lyra: where each keeps its servers, and editing those files without harm."""
