"""`python -m zeroply` is the `zeroply` command, for launchers such as torchrun."""

from zeroply.cli.main import main

main()
