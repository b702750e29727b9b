"""What Lyra reports about itself: logs, and the journal of decisions with their causes."""
