import type { OptionCheck } from "@tablekeep/core";

/** What follows a journal's name in its keys. */
const markers = ["-P-", "-SH-", "-SL-", "-W-", "-C-", "-R-"];

/**
 * Two journals in one table must not have keys in common: journal `a` with id `b-P-c` and journal `a-P-b` with id `c`
 * would. A name is refused if what follows it in a key could be taken for an earlier end of the name; and, because a
 * journal may have no name, if a key that begins with the name could be one of such a journal: `P-a`, `SH`.
 */
export const journalName: OptionCheck = (value) => {
  if (typeof value !== "string") return "must be a text";
  if (value === "") return undefined;
  const ambiguous = markers.find((marker) =>
    markers.some((next) => {
      const at = `-${value}${next}`.indexOf(marker);
      return at >= 0 && at <= value.length;
    }),
  );
  if (ambiguous === undefined) return undefined;
  return `must not hold ${ambiguous}, nor begin or end so that a key could: its keys could be those of another journal`;
};
