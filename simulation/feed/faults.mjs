/** Mistakes that can be planted into the model of the feed, each with what it breaks. All must be found. */
export const faults = {
  "small-window":
    "the window is smaller than the stream reorders: nothing is lost or twice, but number 1 may follow 2",
  "drop-late": "a record that comes later than the window is dropped, with a window that is too small",
  "skip-by-newest-page":
    "records are skipped up to the positions in the newest page, instead of by what pages contain",
  "wall-clock": "writes are held by the clock, not by how far the shards have been read",
  "reading-position-checkpoint": "the checkpoint is how far shards were read, not what is in pages",
  "hi-of-page-only": "a page names only its own records, not those of all pages before it",
  "unconditional-page": "a page is put whatever is there",
  "held-unread": "a write is placed although an earlier one of its id is held",
  "exact-fed": "what a sequencer remembers of an id counts as exact",
  "lost-page-put-again": "a page whose answer was lost is written again under the next number",
  "lost-page-is-done": "a page whose answer was lost counts as written",
  "absorb-ignored": "after a conflict a sequencer goes on without what the other has written",
  "staged-rows": "staged items count before their commit record",
  "modify-is-event": "a changed item counts as a new one",
  "modify-never-event": "an event that takes the place of a dead staged item does not count",
  "every-item-is-write": "every item of a transaction counts as its whole write",
  "identity-without-write": "an event is known by id and number alone, even after a purge",
  "closed-shard-forgotten": "a finished shard no longer counts although its children are not known",
  "sweep-forgotten": "a restart after a sweep does not read what was swept",
  "stream-after-sweep": "the stream is read from the end of the sweep on",
  "number-before-commit": "writers take positions before they commit",
  "unfenced-offset": "the position of a projection is set without a condition",
  "stale-offset":
    "the position of a projection is read without consistency, and its writes are fenced by owner alone",
};

/** What breaks nothing: something else stops it. */
export const harmless = {
  "children-first":
    "shards are read before their parents: what is read up to a time counts those that were skipped",
  "stale-offset-fenced":
    "the position of a projection is read without consistency: its condition rejects the write",
};
