"""The command line: one thin module per command, loaded when it is used."""
