"""The starters finished: the same text, with every step filled in."""
