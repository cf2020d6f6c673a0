"""Small whole programs that the pages show; `output/` holds what they print."""
