"""Room for blind agent evaluation: do models choose the right tool? Still empty."""
