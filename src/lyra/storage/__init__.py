"""The only SQL: one SQLite file, one writer, pooled readers, one module a kind of record."""
