"""Random control flow: programs of nested branches, loops and exits, against Python itself."""
