"""A small SVG writer: words, cells and arrows in the colours of the page.

A colour is a CSS variable of the page with a value of its own, so that a picture fits
the light and the dark page and can also be looked at alone.
"""

from math import atan2, cos, sin
from xml.etree import ElementTree as ET

INK = "var(--ink, #1f2933)"
MUTED = "var(--muted, #52606d)"
FAINT = "var(--faint, #7b8794)"
TEAL = "var(--teal, #0b6e69)"
WRONG = "var(--wrong, #b3261e)"
HEADS = (
    "var(--head-1, #245f94)",
    "var(--head-2, #b5561b)",
    "var(--head-3, #14603f)",
    "var(--head-4, #a63fb8)",
)
TOKENS = (
    "var(--token-1, #0c7480)",
    "var(--token-2, #922149)",
    "var(--token-3, #7a651c)",
)
TIMES, MINUS, INFINITY = "\u00d7", "\u2212", "\u221e"
PALEST, DARKEST = 0.07, 0.4  # cells between these carry ink that can be read
WIDTH = 360  # a phone's column


def number(value, digits=2):
    """Write a number with a true minus sign and without a negative zero."""
    return f"{round(value, digits) + 0:.{digits}f}".replace("-", MINUS)


def shade(value, largest):
    """Turn the size of a number into the strength of its cell's colour."""
    return PALEST + (DARKEST - PALEST) * min(abs(value) / largest, 1)


def plain(length):
    """Write a length with at most two decimals."""
    return f"{round(length, 2):g}"


class Canvas:
    """A picture of WIDTH times height units, with a sentence for those who listen."""

    def __init__(self, height, label, width=WIDTH):
        self.root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {width} {height}",
                "role": "img",
                "aria-label": label,
                "font-family": "sans-serif",
                "font-size": "13",
            },
        )

    def svg(self):
        """The whole picture as text: one element, one part a line, no blank line."""
        ET.indent(self.root, space=" ")
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def rect(self, x, y, width, height, fill="none", opacity=1, stroke=None, radius=2):
        """Draw a box, filled or outlined."""
        style = f"fill:{fill}"
        if opacity != 1:
            style += f";fill-opacity:{plain(opacity)}"
        if stroke:
            style += f";stroke:{stroke};stroke-width:1.5"
        box = {"x": x, "y": y, "width": width, "height": height, "rx": radius}
        place = {name: plain(length) for name, length in box.items()}
        ET.SubElement(self.root, "rect", place | {"style": style})

    def text(
        self, x, y, words, color=INK, size=13, anchor="start", bold=False, mono=False
    ):
        """Write words on the baseline y; anchor says which end of them x is."""
        style = f"fill:{color}"
        if mono:
            style += ";font-family:ui-monospace,Menlo,Consolas,monospace"
        if bold:
            style += ";font-weight:700"
        look = {"x": plain(x), "y": plain(y), "font-size": plain(size)}
        if anchor != "start":
            look["text-anchor"] = anchor
        ET.SubElement(self.root, "text", look | {"style": style}).text = words

    def path(self, points, color=FAINT, width=1.5, dashes=None, opacity=1):
        """Draw straight lines from point to point."""
        style = f"fill:none;stroke:{color};stroke-width:{plain(width)}"
        if dashes:
            style += f";stroke-dasharray:{dashes}"
        if opacity != 1:
            style += f";stroke-opacity:{plain(opacity)}"
        steps = "L".join(f"{plain(x)} {plain(y)}" for x, y in points)
        ET.SubElement(self.root, "path", {"d": f"M{steps}", "style": style})

    def arrow(self, start, end, color=FAINT, width=1.5):
        """Draw a line with a small head at its end."""
        angle = atan2(end[1] - start[1], end[0] - start[0])
        back = [
            (end[0] - 7 * cos(angle + turn), end[1] - 7 * sin(angle + turn))
            for turn in (-0.45, 0.45)
        ]
        neck = (end[0] - 5 * cos(angle), end[1] - 5 * sin(angle))
        self.path([start, neck], color, width)
        corners = "L".join(f"{plain(x)} {plain(y)}" for x, y in (end, *back))
        style = f"fill:{color}"
        ET.SubElement(self.root, "path", {"d": f"M{corners}Z", "style": style})

    def dot(self, x, y, color, radius=3.5):
        """Mark a point."""
        place = {"cx": plain(x), "cy": plain(y), "r": plain(radius)}
        ET.SubElement(self.root, "circle", place | {"style": f"fill:{color}"})

    def cell(self, x, y, width, height, words, color, opacity=DARKEST, size=12):
        """Draw a coloured cell with a number (or nothing) in its middle."""
        self.rect(x + 0.5, y + 0.5, width - 1, height - 1, color, opacity)
        if words:
            middle = (x + width / 2, y + height / 2 + size * 0.36)
            self.text(*middle, words, size=size, anchor="middle", mono=True)

    def heading(self, y, words, note="", x=0):
        """Name a part of the picture and, on the next line, say what it is."""
        self.text(x, y, words, size=14, bold=True)
        if note:
            self.text(x, y + 17, note, MUTED, size=12.5)
