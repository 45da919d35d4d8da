"""Plain numerical functions as people write them, differentiated in every mode."""
