"""Unfinished layers to begin from; `solutions/` holds them finished.

Each step that is missing is a call of `todo`, so that the checker says which is next.
A starter needs nothing of this package: copy the file and write.
"""
