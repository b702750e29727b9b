"""The extractor's name as stored with every page; raised whenever the same bytes would give another document."""

EXTRACTOR = "lyra-extract/2"
