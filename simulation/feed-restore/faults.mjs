/** Mistakes that can be planted into the model of restored feeds, each with what it breaks. All must be found. */
export const faults = {
  "identity-ignored":
    "a position is right if the feed has the page that it has passed, whichever put wrote it",
  "there-is-enough": "a position is right if the feed has as many pages, whatever their offsets are",
  "identity-of-place":
    "a page is named by its number and its offsets: pages of other events have the same names",
  "identity-of-sequencer":
    "a page is named by the sequencer that wrote it: it writes again after the restore, perhaps other events",
  "boundary-unnamed": "a position between two pages does not name the page before it",
  "middle-unnamed": "a position within a page does not name that page",
  "one-slice": "only the first slice of a reader's position is compared",
  "next-page-named": "a position between two pages names the page after it, if there is one",
  "next-unchecked":
    "a process that ran before the restore goes on with the next page, whichever page that one follows",
  "middle-unchecked":
    "a process that is within a page goes on with the page that has its number, whichever put wrote it",
  "idle-unchecked": "a process that waits for a page does not notice that those before it are gone",
};
