"""What a rule is asked about: one subject at a time, with the small questions about schemas that several rules ask."""
