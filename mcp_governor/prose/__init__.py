"""Everything that reads English: what descriptions say of parameters and tools, for checks to compare with schemas."""
