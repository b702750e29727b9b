"""A simulated web on loopback: many hosts behind one proxy, for demonstration, tests and measurement."""

from simweb.faults import Fault, Faults
from simweb.journal import Visit
from simweb.simulation import SimWeb

__all__ = ["Fault", "Faults", "SimWeb", "Visit"]
