/** Mistakes that can be planted into the model of projections, each with what it breaks. All must be found. */
export const faults = {
  "position-unfenced": "the position is set without a condition",
  "lease-by-time": "a runner checks that its lease lasts before it writes, and the write has no condition",
  "fence-without-offset": "the position is fenced by owner and epoch, not by the offset before",
  "fence-without-epoch":
    "the position is fenced by owner and offset: a claim of the same runner is not told apart",
  "lost-is-done-unfenced":
    "a group whose answer was lost counts as applied, and the offset before is not checked",
  "position-first": "the position is stored before the writes of the group",
  "position-last": "the position is stored after the writes of the group",
  "park-after-position": "an event is parked after the position has passed it",
  "park-one-event": "later events of the id of a parked one are applied",
  "parked-read-before-claim": "what is parked is read before the slice is claimed",
  "replay-unfenced": "a parked event is applied without a condition on the slice or on its item",
  "replay-out-of-order": "any parked event of an id is applied, not only the first",
  "rewind-keeps-parked": "what is parked after the new position stays",
  "leftovers-unfenced": "what is parked after the position is removed without a condition on the slice",
  "skip-unfenced": "a skip sets the position without a condition",
  "skip-any": "a skip passes the next event, whether it has stopped the slice or not",
  "skip-twice":
    "a skip whose answer was lost is repeated: a claim hides that it was carried out, and another event has stopped the slice",
  "pause-by-flag": "a pause does not fence the runners that have slices",
  "pause-unread": "a runner does not read after its claim whether the version is paused",
  "pause-unordered": "a pause and a resume are not told apart when one of them arrives late",
  "switch-unchecked": "readers are switched to a version that is behind",
  "stop-keeps-epoch":
    "a stop does not raise the epoch, and a lost answer counts as failed: the group is applied after the stop",
  "stop-unfenced": "a runner stores that an event stopped the slice without a condition",
};

/** What breaks nothing: something else stops it. */
export const harmless = {
  "stale-position":
    "the position is read without consistency after a claim: the condition on the offset rejects the group",
  "lost-is-done": "a group whose answer was lost counts as applied: the condition of the next one rejects it",
  "lost-is-failed":
    "a group whose answer was lost counts as not applied: its condition rejects the second one",
};
