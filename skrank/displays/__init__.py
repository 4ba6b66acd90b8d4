"""Pictures, one display a file. Nothing else in the package draws."""
