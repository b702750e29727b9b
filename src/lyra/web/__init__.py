"""The dashboard: a local web page on loopback over an open Lyra. It reads, and writes reviews, overrides, decisions."""
