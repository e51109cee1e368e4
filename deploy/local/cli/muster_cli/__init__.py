"""The `./muster` command: the local system and its jobs, from a terminal. Standard library only."""
