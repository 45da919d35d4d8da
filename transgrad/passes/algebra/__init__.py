"""Laws of arithmetic: factors of one, multiples of multiples, cotangents that cancel."""
