"""Formulas as MathML, made while the site is built: no script, no fonts, readable aloud."""

from latex2mathml.converter import convert


def block(
    source: str,
    language: str,
    css_class: str,
    options: dict[str, object],
    md: object,
    **_: object,
) -> str:
    """Turn a `math` fence into a formula on a line of its own."""
    formula = convert(source, display="block")
    return f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{formula}</div>'


def inline(source: str, language: str, css_class: str, md: object) -> str:
    """Turn `#!math …` in a sentence into a formula inside the sentence."""
    return convert(source)
