"""The window. Talks to the engine process and reads its traces; never imports MLX.

PySide6 6.12 is built for a Python whose None is immortal. On Python 3.11 it is counted, and every Qt call that returns
nothing takes a reference away, until the interpreter ends ("deallocating None"). A count that can't run out keeps it
alive.
"""

import sys

if sys.version_info < (3, 12):
    import ctypes

    # The count is the first field of an object.
    ctypes.c_ssize_t.from_address(id(None)).value += 1 << 48
