"""The models: what they promise, the bundled weights, and the isolated process in which they run."""
