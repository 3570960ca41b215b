"""The Lab page: plan a run of the lab, watch it, open what it made."""
