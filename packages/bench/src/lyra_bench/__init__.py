"""What measures and demonstrates Lyra: benchmarks, evaluations on labelled data, and whole sessions offline."""
