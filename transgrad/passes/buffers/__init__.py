"""Where arrays lie: what is added to in place, written over, put together at once, or is a list meanwhile."""
