"""The evidence pack: what the verdicts of a task rest on, in one file that anybody can check without Lyra's data."""
