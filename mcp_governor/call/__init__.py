"""Exercise tools safely, and check what comes back against schema, profile, configuration and recordings.

Here live the plan of calls and the arguments for them, what is learned from answers, the sandbox for files, the checks
of what comes back, and recordings. How a call travels is for ``wire``; the envelope's own rules are in ``charter``.

``validate_response`` checks one response; ``plan_calls`` and ``run_calls`` make the calls of a whole surface.
"""
