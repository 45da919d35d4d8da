"""Cases of the tape's behaviour, a module or more for each subject (T1 Tensor … T17 utilities)."""
