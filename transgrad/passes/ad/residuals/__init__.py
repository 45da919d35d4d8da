"""What the reverse part reads of the forward part: kept, in which form, or computed again."""
