"""The transformations behind `transgrad.grad` and its relatives: arguments, variants, dispatch, what each kind does to the IR."""
