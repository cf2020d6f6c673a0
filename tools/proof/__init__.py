"""Prove the built site: its code comes from tested files, its links lead somewhere.

It reads the HTML that is published, so it holds whatever tool built the pages.
"""
