"""Formulas as MathML, made while the site is built: no script, no fonts."""

from latex2mathml.converter import convert


def block(
    source: str, language: str, css_class: str, options: object, md: object, **_: object
) -> str:
    """Turn a `math` fence into a formula on a line of its own, wide ones scroll."""
    return f'<div class="formula" tabindex="0">{convert(source, display="block")}</div>'


def inline(source: str, language: str, css_class: str, md: object) -> str:
    """Turn `#!math x` in a sentence into a formula in the sentence."""
    return convert(source)
