"""What the layers exchange: frozen dataclasses without any I/O."""
