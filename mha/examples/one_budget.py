"""One head with two wishes makes one average; two heads keep the wishes apart."""

# --8<-- [start:example]
from mha.plain import attend


def read(sentence: list[list[float]], wishes: list[float]) -> list[float]:
    """What the last token brings home from a head that wishes so for each word."""
    keys = [[wish] for wish in wishes]
    queries: list[list[float]] = [[1], [1], [1]]
    return [round(number, 2) for number in attend(queries, keys, sentence)[-1]]


dog, bites, man = [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]

for sentence in [dog, bites, man], [man, bites, dog]:
    print("one head, first and last word  ", read(sentence, [9, 0, 9]))
    print("a head for the first word      ", read(sentence, [9, 0, 0]))
    print("a head for the last word       ", read(sentence, [0, 0, 9]))
    print("one head, more for the first   ", read(sentence, [9, 0, 8]))
# --8<-- [end:example]
