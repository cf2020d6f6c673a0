"""Wrong layers, each wrong in one way: the pitfall pages show them, the checker knows.

The name of a mistake is the name of its class in words: `MaskInverted` is
`mask-inverted`. Its docstring says what is wrong, what is expected, and asks a question
that leads to the line. To teach the checker a new mistake in what a layer computes, add
a class here.
"""
