"""Programs for one mechanism of the front end each, outside of the corpus."""
