"""JSON Schema as a document, once for everybody who reads one.

Here lives what a schema *says*, without any question about what follows from it: the keywords and what each holds,
the dialects, pointers, references and their circles, the translation into the newest dialect, whether it is a schema
at all, and what it costs to work with. What two schemas mean to each other is for ``containment``, how one changed for
``change``, whether it is well made for ``linting``.

Modules are imported one by one: ``keywords``, ``dialects``, ``pointers`` and ``walking`` cost next to nothing,
``soundness`` loads the native engine.
"""
