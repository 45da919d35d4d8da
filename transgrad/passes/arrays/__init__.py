"""Array operations that cost less than those they stand for: contractions, products of triangles, rows at once."""
