"""The intermediate representation: values, operations, regions; its types, builder, printer, verifier and interpreter."""
