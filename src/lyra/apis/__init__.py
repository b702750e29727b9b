"""Official APIs: one client for all of them, and values out of what they answer."""
