"""What the pages that run long jobs share: the plan as a list, progress with time left, curves, tables."""
