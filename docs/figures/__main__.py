"""Draw all pictures and write all tables again: python docs/figures."""

from gallery import PICTURES, draw
from tables import TABLES, write

for name in PICTURES:
    draw(name)
for name in TABLES:
    write(name)
