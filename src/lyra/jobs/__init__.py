"""The durable queue: work that survives a crash, a restart and another process."""
