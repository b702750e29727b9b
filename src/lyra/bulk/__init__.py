"""Reading collections of documents on as many processes or machines as there are, and taking them into a task."""
