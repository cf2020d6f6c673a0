"""Draw all pictures again: python docs/figures."""

from gallery import PICTURES, draw

for name in PICTURES:
    draw(name)
