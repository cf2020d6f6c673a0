"""Write what MkDocs publishes beside the pages, and nobody commits.

Brython comes out of its installed package, the downloads out of the pages' own blocks.
"""
