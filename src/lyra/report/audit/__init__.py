"""Auditing what somebody else wrote: do the works it cites exist, stand, and say what is claimed?"""
