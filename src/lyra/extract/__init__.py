"""Bytes to located text: HTML, PDF, plain text and Markdown become documents, and documents become fragments."""
