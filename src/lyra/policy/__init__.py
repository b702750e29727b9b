"""Policy: how gently sources are asked, one mechanism a file, keyed `domain:…`, `engine:…` or `api:…`."""
