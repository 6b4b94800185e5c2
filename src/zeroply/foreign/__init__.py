"""Other programs as players, over pipes. A new protocol is an `Engine` in a file here and a line in `players`."""
