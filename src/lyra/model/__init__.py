"""What the floors exchange: frozen dataclasses without any I/O."""
