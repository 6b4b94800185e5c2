"""The exception that zeroply raises for input it cannot use.

Its text is one sentence that says what to do; the command line prints it and exits with code 2.
"""


class ZeroplyError(ValueError):
    """Bad input: a spec, a move, a file or an option that cannot be used as given."""
