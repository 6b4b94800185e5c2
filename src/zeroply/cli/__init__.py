"""The command line: one module per command, loaded when it is called; thin, no logic of its own."""
