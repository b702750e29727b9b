"""The strong reader's adapter; see the README."""
