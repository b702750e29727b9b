"""Everything a user has gathered as one file, taken while Lyra runs, and put back only when every byte is right."""
