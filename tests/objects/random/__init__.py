"""Random programs of classes: fields, methods, aliases, containers of instances, exceptions and generators."""
