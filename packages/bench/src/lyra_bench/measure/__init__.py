"""Measurements that are too slow or too dependent on the machine to be tests."""
