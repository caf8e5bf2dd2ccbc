"""Exercise tools safely, and check what comes back against schema, profile, configuration and recordings.

This package plans calls and makes up arguments for them, learns from responses, provides sandbox files, checks
responses, and records calls. ``wire`` transports the calls; ``charter`` has the rules of the envelope.

``validate_response`` checks one response; ``plan_calls`` and ``run_calls`` call the tools of a whole surface.
"""
