"""Draw all pictures and write all tables again: python docs/figures."""

import tables
from gallery import DATA, PICTURES, draw, write

for name in PICTURES:
    draw(name)
for name, module in DATA.items():
    write(name, module.values())
for name in tables.TABLES:
    tables.write(name)
