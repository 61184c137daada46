/** Mistakes that can be planted into the model of the packed layout (`--packed`), each with what it breaks. All must be found. */
export const packedFaults = {
  "unconditional-put": "events are put whatever stands there",
  "no-reread": "a writer trusts a view of any age, longer than tombstones last",
  "no-tombstone": "deleted items leave nothing behind",
  "mark-last": "items are dropped before the low mark is raised",
  "sweep-early": "tombstones are swept before their time",
  "drop-commit-record": "commit records go at once with their items",
  "commit-keeps-epoch": "a commit does not raise the epoch",
  "staged-counts": "staged items count although no commit record names their write",
  "snapshot-is-end": "a writer continues after the newest snapshot",
  "ends-at-item": "an id ends at its last item, although the write of that item goes on in another",
  "tombstone-without-last": "a tombstone says only where its item began",
  "tombstones-skipped": "tombstones do not count for where an id ends",
  "trust-old-mark":
    "a read does not notice that an item was rewritten by a delete since it read the low mark",
  "no-covering-item": "a read does not search for the item that covers a number which no item begins at",
  "gaps-read-plainly": "what is missing is searched for without a transaction of reads",
  "gaps-unread": "a delete does not wait for items that become visible just now",
  "no-last-look":
    "under strict fencing an id is taken over while a write of the writer before becomes visible",
  "rewrite-any-item": "a delete replaces or rewrites an item whatever stands there",
  "refusal-ends-delete": "a delete goes on although an item that it was to drop has changed",
  "begins-at-mark": "the next delete begins at the low mark, above the item that reaches over it",
  "dead-tombstone": "a delete makes a tombstone of a staged item that never counted",
  "compact-any-item": "a compaction replaces items whatever stands there",
  "compact-by-write-id": "a compaction compares only write ids, and not what the items hold",
  "compact-without-tombstones": "items that were merged into another leave nothing behind",
  "compact-staged": "staged items are merged too",
  "compact-within-write": "items are merged although the rest of their last write may not be visible yet",
  "tombstone-without-into": "a tombstone does not say into which item its own was merged",
  "tombstone-of-merger": "the tombstone of a merged item has the write id of the item it was merged into",
  "expected-unread": "an append without a writer does not read where the id ends",
};

/** Mistakes with snapshots and purges (`--packed --purge`). All must be found. */
export const packedPurgeFaults = {
  "empty-tail": "a load ends at the newest snapshot although no event above it was read",
  "no-covering-item": packedFaults["no-covering-item"],
  "history-read-once": "a load that finds no snapshot below its events does not read again",
  "newest-snapshot-goes": "all snapshots are removed before the events that they contain",
  "writer-first": "a purge removes the writer item first",
  "purge-keeps-snapshots": "a purge leaves snapshots",
  "mark-any-life": "a delete raises the low mark although the id was purged meanwhile",
  "life-read-late": "what a delete may delete was read in a life of the id before the one that it names",
  "live-writer": "writers are not stopped while an id is purged or restored",
};

/** Mistakes that break nothing by themselves. */
export const packedHarmless = {
  "records-read-first":
    "a replay decides by commit records that were read before the staged items: what it misses is a gap, which it fills",
  "purge-once":
    "a purge does not list the partition again: with the writers stopped nothing is written to a key that it has not listed",
  "first-item-only":
    "a transaction whose answer was lost counts as readable once its first item is: that names the last number of its write, up to which readers wait",
};
