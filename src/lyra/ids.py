"""Identifiers: random for what a user starts, derived from content for what is found.

A derived id makes every write of the pipeline idempotent: doing the work again after a crash finds the same row.
"""

import hashlib
import re
import secrets

TASK_ID = re.compile(r"task_[0-9a-f]{12}")


def new_task_id() -> str:
    return f"task_{secrets.token_hex(6)}"


def new_id(prefix: str) -> str:
    """A random id such as `s_4f1d2c3b5a69`."""
    return f"{prefix}_{secrets.token_hex(6)}"


def derived_id(prefix: str, *parts: str) -> str:
    """The same parts give the same id, on every machine."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{prefix}_{digest[:16]}"


def text_hash(text: str) -> str:
    """SHA-256 of a text, as stored beside every quote."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def bytes_hash(data: bytes) -> str:
    """SHA-256 of archived bytes."""
    return hashlib.sha256(data).hexdigest()
