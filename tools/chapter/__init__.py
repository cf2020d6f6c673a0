"""Lay out a chapter to be written: its pages, a listing, its test, an example.

What lies in template/ is a small true chapter, about the plain mean, with TODO marks.
"""
