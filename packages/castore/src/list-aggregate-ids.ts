import type { EventStoreContext, ListAggregateIdsOptions, ListAggregateIdsOutput } from "@castore/core";
import { type OptionChecks, optionCheck, optionChecker } from "@tablekeep/core";
import { eventsInRange, type Journal } from "@tablekeep/journal";
import { checkOptions, optionInvalid } from "./castore-adapter-error.ts";
import { idPrefix } from "./persistence-id.ts";
import { eventDetailOf } from "./stored-event.ts";

type ListedAggregate = ListAggregateIdsOutput["aggregateIds"][number];

/** What a page token contains: the options of the list, and the last aggregate of the page. */
interface PageToken extends Omit<ListAggregateIdsOptions, "pageToken"> {
  readonly lastEvaluatedKey?: ListedAggregate;
}

const checks: OptionChecks<ListAggregateIdsOptions> = {
  limit: optionCheck.integer(1),
  pageToken: optionCheck.nonEmptyString,
  initialEventAfter: optionCheck.string,
  initialEventBefore: optionCheck.string,
  reverse: optionCheck.boolean,
};

/** How many first events are read at a time. */
const parallelReads = 16;

/**
 * Lists the aggregates of an event store by the timestamp of their first event. A journal has its ids in no such order: every
 * call reads all ids of the journal, and the first event of each aggregate of this event store.
 */
export async function listAggregateIds(
  journal: Journal,
  context: EventStoreContext,
  options: ListAggregateIdsOptions = {},
): Promise<ListAggregateIdsOutput> {
  checkOptions(options, checks);
  const { lastEvaluatedKey, ...applied } = appliedOptions(options);
  const { limit, initialEventAfter, initialEventBefore, reverse = false } = applied;
  const order = reverse ? (one: ListedAggregate, other: ListedAggregate) => inOrder(other, one) : inOrder;
  const listed = (await aggregatesOf(journal, context))
    .filter(({ initialEventTimestamp: time }) => {
      if (initialEventAfter !== undefined && time < initialEventAfter) return false;
      return initialEventBefore === undefined || time <= initialEventBefore;
    })
    .sort(order)
    .filter((each) => lastEvaluatedKey === undefined || order(each, lastEvaluatedKey) > 0);
  const aggregateIds = listed.slice(0, limit);
  const last = aggregateIds.at(-1);
  if (last === undefined || aggregateIds.length === listed.length) return { aggregateIds };
  const next: PageToken = { ...applied, lastEvaluatedKey: last };
  return { aggregateIds, nextPageToken: JSON.stringify(next) };
}

/** The options of this call, and for the rest those of the page before. */
function appliedOptions({ pageToken, ...options }: ListAggregateIdsOptions): PageToken {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...(pageToken === undefined ? {} : parsePageToken(pageToken)), ...given };
}

function parsePageToken(text: string): PageToken {
  const invalid = () => optionInvalid("pageToken", "must be a page token that this adapter returned");
  let token: unknown;
  try {
    token = JSON.parse(text);
  } catch {
    throw invalid();
  }
  const { lastEvaluatedKey, ...options } = (token ?? {}) as PageToken;
  const { aggregateId, initialEventTimestamp } = lastEvaluatedKey ?? {};
  if (typeof aggregateId !== "string" || typeof initialEventTimestamp !== "string") throw invalid();
  optionChecker(invalid)<ListAggregateIdsOptions>(options, checks);
  return token as PageToken;
}

async function aggregatesOf(journal: Journal, context: EventStoreContext): Promise<ListedAggregate[]> {
  const prefix = idPrefix(context);
  const ids: string[] = [];
  for await (const { persistenceId } of journal.currentPersistenceIds())
    if (persistenceId.startsWith(prefix)) ids.push(persistenceId);
  const aggregates: ListedAggregate[] = [];
  for (let at = 0; at < ids.length; at += parallelReads) {
    const some = ids.slice(at, at + parallelReads).map((id) => firstEvent(journal, context, id));
    aggregates.push(...(await Promise.all(some)).flat());
  }
  return aggregates;
}

/** The oldest event that is not deleted; none of an aggregate whose events are all deleted. */
async function firstEvent(
  journal: Journal,
  context: EventStoreContext,
  persistenceId: string,
): Promise<ListedAggregate[]> {
  const range = { from: 1, to: Number.POSITIVE_INFINITY, max: 1 };
  for await (const event of eventsInRange(journal, persistenceId, range)) {
    const { aggregateId, timestamp } = eventDetailOf(event, context);
    return [{ aggregateId, initialEventTimestamp: timestamp }];
  }
  return [];
}

function inOrder(one: ListedAggregate, other: ListedAggregate): number {
  return (
    compare(one.initialEventTimestamp, other.initialEventTimestamp) ||
    compare(one.aggregateId, other.aggregateId)
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
