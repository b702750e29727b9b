"""A person in the loop: the queue of pages only a person can open, notifications, questions, windows."""
