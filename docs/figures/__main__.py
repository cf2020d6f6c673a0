"""Draw all pictures again: python docs/figures."""

from gallery import DATA, PICTURES, draw, write

for name in PICTURES:
    draw(name)
for name, module in DATA.items():
    write(name, module.values())
