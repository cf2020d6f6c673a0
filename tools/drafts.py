"""A chapter that the navigation does not name is a draft: `mkdocs serve` shows it.

MkDocs calls `on_files`; see `hooks` in mkdocs.yml.
"""

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files, InclusionLevel

CHAPTER = re.compile(r"(?:chapters/([^/]+)/|downloads/(.+)-[^-]+$)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Keep the pages and the downloads of each draft out of what is built."""
    navigation = str(config.nav)
    for file in files:
        found = CHAPTER.match(file.src_uri)
        if found and f"chapters/{found[1] or found[2]}/" not in navigation:
            file.inclusion = InclusionLevel.DRAFT
    return files
