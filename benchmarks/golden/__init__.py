"""Functions with derivatives written by hand: what emitted text is measured against, by eye and by clock."""
