import type { GapCounts } from "../run/run-sequence.ts";

/**
 * The share of steps, in thousandths, in which each gap may occur. A gap that occurs more often explains something
 * that it was not made for; one that does not occur in a long run is gone from DynamoDB Local or from the generator,
 * and must be removed, unless it is rare.
 */
const atMost: Readonly<Record<string, number>> = {
  "returns numbers in another form": 110,
  "rejects with another message": 110,
  "a query or scan that reads nothing costs nothing": 60,
  "transactions do not report reads and writes separately": 30,
  "does not check the types and limits of a request": 20,
  "reports one of several faults of a transaction": 20,
  "an absent item of a batch costs nothing": 18,
  "DeleteItem reports capacity without request": 18,
  "the deletion of an absent item costs 2 in a batch": 15,
  "ends the reason of a failed check with a full stop": 15,
  "reports another of several faults": 13,
  "REMOVE and DELETE create an item of the key alone": 12,
  "ignores an update without an action": 11,
  "the deletion of an absent item costs 1 in a transaction": 5,
  "rejects a transaction of one action instead of cancelling it": 5,
  "REMOVE of a nested path of an absent item is rejected": 5,
  "index units are doubled in a transaction": 3,
  "an index that never contains the item is charged": 3,
  "returns no key if a page ends with the last item": 3,
  "a condition check is charged as a read in a transaction": 3,
  "accepts an empty map of placeholders without an expression": 2,
  "equal costs of actions on one table are charged once in a transaction": 2,
  "rejects short names of tables": 2,
  "answers 500 to a legacy key condition with an operator for filters": 1,
  "accepts an index key of another type that is computed": 1,
  "rejects a start key at the bound of the key condition": 1,
  "what a local index fetches from the table is charged by another rule": 1,
  "a repeated token costs as much as the transaction": 1,
  "UPDATED_OLD and UPDATED_NEW return whole attributes": 1,
  "compares the keys of a batch as they are written": 1,
  "accepts a partition key of more than 2,048 bytes in a query": 1,
  "counts the 1 MB after the filter": 1,
  "evaluates the second operand of if_not_exists although the first exists": 1,
  "reports a fault instead of a used token": 1,
  "restarts a query of one absent item": 1,
};

/** Gaps that occur about twice in 100,000 steps or less, some of them several times in one sequence: a long run may miss them. */
const rare: ReadonlySet<string> = new Set([
  "compares the keys of a batch as they are written",
  "accepts a partition key of more than 2,048 bytes in a query",
  "counts the 1 MB after the filter",
  "evaluates the second operand of if_not_exists although the first exists",
  "reports a fault instead of a used token",
  "restarts a query of one absent item",
]);

/** A run of this many steps has every gap that is not rare. */
const longRunSteps = 100_000;

/** Returns the gaps that occurred too often or, in a long run, never; and those that are not listed. */
export function beyondRatchet({ steps, gaps }: GapCounts): string[] {
  const often = [...gaps].flatMap(([gap, count]) => {
    const limit = atMost[gap];
    if (limit === undefined) return [`"${gap}" has no limit (met ${count} times)`];
    const expected = (limit * steps) / 1000;
    // Three standard deviations of a rare count, and a few more for short runs.
    const bound = expected + 3 * Math.sqrt(expected) + 3;
    return count > bound
      ? [`"${gap}" was met ${count} times in ${steps} steps, more than ${Math.floor(bound)}`]
      : [];
  });
  const never =
    steps < longRunSteps ? [] : Object.keys(atMost).filter((gap) => !gaps.has(gap) && !rare.has(gap));
  return [...often, ...never.map((gap) => `"${gap}" was never met in ${steps} steps`)];
}
