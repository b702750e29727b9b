"""Fetch: a page, a result page or an API answer, politely and with a typed outcome, one rung of the ladder a file."""
