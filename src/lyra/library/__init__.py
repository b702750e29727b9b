"""The user's own documents as a source: walking through folders, the index, and reading a document as a page."""
