"""Training text and what is fitted to it.

openers, frame, batch, generate   self-made conversations, many rows of one batch
conversations, clean, dataset     on disk: raw shards, what is dropped and why, train and held-out parts
fit                               n-gram tables
"""
