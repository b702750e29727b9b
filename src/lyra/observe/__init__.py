"""What Lyra tells about itself: logs, and the journal of decisions with their causes."""
