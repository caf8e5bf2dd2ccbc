"""Blind evaluation: do models choose the right tool from these words alone?"""
