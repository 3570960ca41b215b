"""Several requests in one target forward, each with its own length and its own acceptance.

    ragged     keys and values of many rows, each ending at its own place
    drafting   drafts for all rows: row by row, or one forward of a block drafter over all of them
    group      rows, their caches and their drafters: they join, go through rounds, and leave
    server     requests in, events out: ``BatchServer`` (many lanes), ``QueueServer`` (the single loop, one at a time)

The rule that decides what is kept is the single loop's own (``engine.decode.decide``), asked for each row.
"""
