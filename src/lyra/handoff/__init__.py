"""Work for people: the queue of pages only a person can open, notifications, questions, windows."""
