"""Memory of a training. The C library gives large blocks back to the system as soon as they are freed, and a training
asks for the same blocks again at every step: new pages then cost about as much as the arithmetic.
"""

import ctypes

_TRIM_THRESHOLD, _MMAP_MAX = -1, -4  # the names of these options in glibc's malloc.h


def keep_freed_memory() -> None:
    """Let this process keep memory that was freed, if its C library is glibc; with another nothing changes."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return
    mallopt(_MMAP_MAX, 0)
    mallopt(_TRIM_THRESHOLD, 2**31 - 1)
