/** Mistakes that can be planted into the model of removals, each with what it breaks. All must be found. */
export const faults = {
  "no-end":
    "slices are not ended: a sequencer that has not noticed the new generation adds pages that are never removed",
  "end-removed": "the pages that end slices are removed with the others",
  "end-ignored": "a sequencer that reads the end of a slice continues behind it",
  "count-by-search":
    "a removal that continues searches for the newest page, as if there were no holes, instead of reading how many there were",
  "count-not-stored": "pages are removed although the answer to the count was lost, and it is not stored",
  "count-replaced":
    "the second of two concurrent removals stores its own count, perhaps made after pages were removed",
  "forget-first": "a generation is taken off the list before its pages are removed",
  "remove-current": "the generation of the record is removed, too",
  "reader-unchecked": "a reader that finds a page missing ends without reading the generation again",
};

/** What breaks nothing: something else stops it. */
export const harmless = {
  "start-unchecked":
    "a sequencer that starts does not read the record again after the pages: it puts pages again that are gone, but none behind the end",
};
