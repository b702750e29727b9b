"""Registries and official APIs of the simulated web, with what they hold; they check requests strictly."""

from __future__ import annotations

from simweb.apis.registries import japan, knowledge, names, patents
from simweb.apis.registries.holdings import load
from simweb.hosts import Host


def hosts() -> dict[str, Host]:
    """Every host of a registry."""
    held = load()
    return {**knowledge.hosts(held), **names.hosts(held), **japan.hosts(held), **patents.hosts(held)}
