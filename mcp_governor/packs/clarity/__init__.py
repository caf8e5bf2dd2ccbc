"""What misleads or stops a model: words and schemas that do not fit, and what is missing."""
