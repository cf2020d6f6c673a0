"""Code on a page with half the elements: none for tokens that have no colour.

And no copy button at what a program prints: each one costs a long page time, and Tab.
"""

import re
from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

# Pygments' classes for names, punctuation, operators and spaces.
PLAIN = re.compile(r'<span class="(?:n|p|o|w)">([^<]*)</span>')
OUTPUT = 'class="language-text highlight'


class Unwrap(Postprocessor):
    """Take away what is not needed: spans of plain tokens, buttons of outputs."""

    def run(self, text: str) -> str:
        """Change the HTML of a finished page."""
        return PLAIN.sub(r"\1", text).replace(OUTPUT, f"{OUTPUT} no-copy")


class TokensExtension(Extension):
    """Markdown's entry point."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Add the last step to Markdown's way from source to HTML."""
        # After raw_html (30), which puts the blocks of code into the page.
        md.postprocessors.register(Unwrap(md), "tokens", 5)


def makeExtension(**options: Any) -> TokensExtension:
    """What Markdown calls for `tools.tokens` in mkdocs.yml."""
    return TokensExtension(**options)
