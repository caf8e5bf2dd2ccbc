"""Exercise tools safely, and check what comes back against schema, profile, configuration and recordings.

``validate_response`` checks one response; ``plan_calls`` and ``run_calls`` make the calls of a whole surface.
"""
