"""The tools by subject; each module holds a tuple of them."""
