"""One module a screen: each function answers one address."""
