/** Mistakes that can be planted into the model, each with what it breaks. All but the harmless ones must be found. */
export const faults = {
  "no-reread": "a writer trusts a view of any age",
  "no-tombstone": "deleted rows leave nothing behind",
  "drop-commit-record": "commit records go at once with their rows",
  "commit-keeps-epoch": "a commit does not raise the epoch",
  "hasty-conflict": "a conflict is reported although an earlier copy may still land",
  "forget-rows": "the low mark does not remember the rows of a delete that was cut",
  "sweep-early": "tombstones are swept before their time",
  "mark-last": "rows are dropped before the low mark is raised",
  "unconditional-put": "events are put whatever is stored there",
  "mark-only": "the highest number is what the mark says, and rows beyond it are not searched for",
  "two-reads": "whether a staged batch is dead is read with two reads, one after the other",
  "first-row-only": "a transaction whose answer was lost counts as readable once its first row is",
  "gaps-unread": "a delete does not wait for rows that become visible just now",
  "no-last-look":
    "under strict fencing an id is taken over while a write of the writer before becomes visible",
  "trust-lone-mark": "the highest number is that of a mark whose own row is not visible yet",
  "trust-early": "what was read before the highest number was known counts although something is missing",
};

/** Mistakes with rows that the original left (`--original`). All must be found. */
export const originalFaults = {
  "trust-declared-end":
    "a replay ends at a batch of the original that declares an end beyond the highest number",
  "half-batch-counts": "rows of a batch of the original count although others of it are missing",
  "trust-half-batch":
    "what may be a part of a batch of the original is dropped without reading the low mark again",
};

/** Mistakes about holes, with rows that the original left. All must be found. */
export const holeFaults = {
  "skip-any-hole": "a replay passes over any number without a row",
  "hole-by-number": "a row of ours right after a number that may have a mark explains a hole before it",
  "any-mark-explains": "a high mark of ours whose row is missing counts as one of the original's",
};

/** Mistakes in what is done only where the original shares the table (`--shared`). All must be found. */
export const sharedFaults = {
  "no-guard": "an append does not check that its number is above what was deleted",
  "last-row-first": "rows are removed from the last to the first",
  "last-row-alone": "the last row goes before the original's low mark is raised",
  "low-mark-early": "the original's low mark is raised while there are rows below it",
  "trust-old-marks": "an empty bucket counts by marks that were read before it",
};

/** Mistakes with snapshots and purges (`--purge`). All must be found. */
export const purgeFaults = {
  "snapshot-ahead": "a snapshot is loaded although its journal ends before it",
  "bounds-first": "a load asks where the journal ends before it reads the snapshot",
  "late-snapshot": "a snapshot that was found after the bounds of the journal is checked against them",
  "journal-first": "forget purges the journal before it removes the snapshots",
  "purge-keeps-records": "a purge leaves commit records",
  "purge-keeps-writer": "a purge leaves the writer item with its stage",
  "low-mark-first": "a purge removes the low mark before the other marks",
  "writer-first": "a purge removes the writer item before the low mark",
  "tombstone-any-row": "a delete puts tombstones whatever is stored there",
  "record-of-any-life": "a delete writes or removes a commit record whatever batch it is of",
  "rows-of-any-life": "a delete drops rows that it read after its low mark was gone",
  "mark-any-life": "a delete raises the low mark although the rows that it was to delete are gone",
  "live-writer": "writers are not stopped while an id is purged or restored",
};

/** Mistakes that break nothing by themselves: what they leave out saves reads, or is the second of two safeguards. */
export const harmless = {
  "no-mark": "the high mark is never written: the next bucket is read anyway",
  "steal-recorded":
    "a staged row is taken over although its stage is still recorded: the new writer has the lower numbers, which the commit needs",
};
