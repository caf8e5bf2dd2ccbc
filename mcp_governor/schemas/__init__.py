"""JSON Schema as a document, shared by all packages that read schemas.

This package covers what a schema *says*, not what follows from it: keywords and their values, dialects, pointers,
references and recursion, translation to the newest dialect, soundness, and the cost of validation. ``containment``
compares the meaning of two schemas, ``change`` describes how a schema changed, and ``linting`` judges its quality.

Import the modules individually: ``keywords``, ``dialects``, ``pointers`` and ``walking`` load quickly, ``soundness``
loads the native engine.
"""
