"""What is wrong with a model, said in one sentence: what, where, what to do."""


class ModelError(Exception):
    """A model can't be used as it is. Its text is meant for the user."""

    arm: str = ""
    """The arm that needs the model, where one alone does."""
