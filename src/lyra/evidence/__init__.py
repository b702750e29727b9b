"""What evidence makes of a claim: confidence, independence, verification; pure rules over rows of the graph."""
