# "I know a list of five numbers whose largest is 41, and where it stands."
from picozk import *

p = 2**61 - 1
with PicoZKCompiler('largest', field=[p], options=['ram']):
    numbers = [SecretInt(n) for n in [7, 19, 41, 3, 28]]
    place = SecretInt(2)
    largest = numbers[0]
    for n in numbers[1:]:
        largest = mux(largest < n, n, largest)
    assert0(largest - 41)
    table = ZKList([7, 19, 41, 3, 28])
    assert0(table[place] - 41)
