"""The Train page: make a drafter for the chosen model, watch it learn, use it in the chat."""
