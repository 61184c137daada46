import {
  ackedAreReplayed,
  expectedHolds,
  noneIsTwice,
  refusedAreNotSeen,
} from "./history-rules/acked-rules.ts";
import { highestCoversAcked, highestNeverFalls } from "./history-rules/highest-rules.ts";
import { type IdHistory, idHistory } from "./history-rules/id-history.ts";
import {
  deposedStayAway,
  type IsTaken,
  noGaps,
  replaysAgree,
  wholeOrNothing,
  writersFollowEachOther,
} from "./history-rules/order-rules.ts";
import type { HistoryViolation, JournalHistoryEntry } from "./journal-history.ts";

export interface CheckHistoryOptions {
  /** Reports sequence numbers that are in use by rows which never counted, as the original leaves them. @default none is */
  readonly isTaken?: IsTaken;
  /** Whether a writer that was followed by another must never show again, as with strict fencing. @default false */
  readonly strict?: boolean;
}

type Rule = (history: IdHistory, isTaken: IsTaken) => Iterable<string>;

const rules: Readonly<Record<string, Rule>> = {
  J1: ackedAreReplayed,
  J2: noGaps,
  J3: wholeOrNothing,
  J4: writersFollowEachOther,
  J5: refusedAreNotSeen,
  J6: noneIsTwice,
  J7: replaysAgree,
  J8: highestCoversAcked,
  J9: highestNeverFalls,
  J10: expectedHolds,
};

/**
 * Returns the violations of the rules J1 to J10 in a history of a journal; empty if there are none. Takes the operations of any
 * number of actors and ids. Ids that are purged must not be used again within one history.
 *
 * - J1 acknowledged events are replayed, with the same content; J2 without gaps; J3 atomic writes whole or not at all;
 * - J4 no event of an earlier writer after the first of a later one; J5 nothing of a rejected or conflicting write;
 * - J6 no event twice; J7 all replays agree, and later ones show no less;
 * - J8 the highest number covers all that was acknowledged; J9 it never goes down;
 * - J10 an append without a writer is stored right after the sequence number that it expects.
 *
 * @example
 * const violations = checkHistory(recorder.operations);
 * expect(violations).toEqual([]);
 */
export function checkHistory(
  operations: readonly JournalHistoryEntry[],
  options: CheckHistoryOptions = {},
): HistoryViolation[] {
  const isTaken = options.isTaken ?? (() => false);
  const byId = new Map<string, JournalHistoryEntry[]>();
  for (const each of operations) {
    const { persistenceId } = each.operation;
    const others = byId.get(persistenceId);
    if (others === undefined) byId.set(persistenceId, [each]);
    else others.push(each);
  }
  const all: [rule: string, check: Rule][] = Object.entries(rules);
  if (options.strict === true) all.push(["J4", deposedStayAway]);
  return [...byId].flatMap(([persistenceId, own]) => {
    const history = idHistory(persistenceId, own);
    return all.flatMap(([rule, check]) =>
      [...check(history, isTaken)].map((message) => ({ rule, persistenceId, message })),
    );
  });
}
