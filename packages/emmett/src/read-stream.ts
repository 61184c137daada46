import {
  type AggregateStreamOptions,
  type AggregateStreamResult,
  assertExpectedVersionMatchesCurrent,
  type Event,
  type ReadEvent,
  type ReadStreamOptions,
  type ReadStreamResult,
  upcastRecordedMessage,
} from "@event-driven-io/emmett";
import { eventsInRange, type Journal } from "@tablekeep/journal";
import { optionInvalid } from "./emmett-store-error.ts";
import type { TablekeepReadEventMetadata } from "./event-store.ts";
import { checkExpectedVersion } from "./expected-version.ts";
import { readEventOf } from "./stored-event.ts";

/** Reads the events of a stream. `currentStreamVersion` is that of the stream, even if not all events are read. */
export async function readStream<EventType extends Event, EventPayloadType extends Event = EventType>(
  journal: Journal,
  streamName: string,
  options: ReadStreamOptions<bigint, EventType, EventPayloadType> = {},
): Promise<ReadStreamResult<EventType, TablekeepReadEventMetadata>> {
  const events: ReadEvent<EventType, TablekeepReadEventMetadata>[] = [];
  const { highest } = await eachEvent(journal, streamName, options, (event) => events.push(event));
  return { currentStreamVersion: BigInt(highest), events, streamExists: highest > 0 };
}

/** Folds the events of a stream. `currentStreamVersion` is that of the state: the position of the last event in it. */
export async function aggregateStream<
  State,
  EventType extends Event,
  EventPayloadType extends Event = EventType,
>(
  journal: Journal,
  streamName: string,
  options: AggregateStreamOptions<State, EventType, TablekeepReadEventMetadata, EventPayloadType>,
): Promise<AggregateStreamResult<State>> {
  const { evolve, initialState, read = {} } = options;
  let state = initialState();
  const { version, highest } = await eachEvent(journal, streamName, read, (event) => {
    state = evolve(state, event);
  });
  return { currentStreamVersion: BigInt(version), state, streamExists: highest > 0 };
}

interface StreamRead {
  /** The position of the stream's last event, read or not. */
  readonly highest: number;
  /** The position up to which events were read. */
  readonly version: number;
}

/** Calls `next` for each event, and returns the positions that were read. */
async function eachEvent<EventType extends Event, EventPayloadType extends Event>(
  journal: Journal,
  streamName: string,
  options: ReadStreamOptions<bigint, EventType, EventPayloadType>,
  next: (event: ReadEvent<EventType, TablekeepReadEventMetadata>) => void,
): Promise<StreamRead> {
  const { expectedStreamVersion, schema } = options;
  const from = Math.max(1, bound("from", options.from) ?? 1);
  const to = bound("to", options.to);
  const max = bound("maxCount", options.maxCount);
  const expected = checkExpectedVersion(expectedStreamVersion);
  const isBounded = to !== undefined || max !== undefined;
  // Before the events, so that the version is never ahead of them.
  const known = isBounded ? await journal.highestSequenceNr(streamName) : undefined;
  if (known !== undefined) assertExpectedVersionMatchesCurrent(BigInt(known), expected, 0n);
  let last: number | undefined;
  let left = max ?? Number.POSITIVE_INFINITY;
  const end = Math.min(to ?? Number.POSITIVE_INFINITY, known ?? Number.POSITIVE_INFINITY);
  // Once, unless events of the range are gone: those do not count, so as many more are read.
  for (let asked = left, found = asked; left > 0 && found === asked; ) {
    asked = left;
    found = 0;
    const range = { from: last === undefined ? from : last + 1, to: end, max: asked };
    for await (const event of eventsInRange(journal, streamName, range)) {
      found++;
      last = event.sequenceNr;
      // Forgotten or expired: it has its position, and leaves the state as it is.
      if (event.gone !== undefined) continue;
      left--;
      const read = readEventOf(event) as ReadEvent<EventPayloadType, TablekeepReadEventMetadata>;
      next(upcastRecordedMessage(read, schema?.versioning));
    }
  }
  if (known !== undefined) return { highest: known, version: last ?? Math.min(from - 1, known) };
  // Without bounds the last event is the newest one; if there is none, all may be deleted.
  const highest = last ?? (await journal.highestSequenceNr(streamName));
  assertExpectedVersionMatchesCurrent(BigInt(highest), expected, 0n);
  return { highest, version: highest };
}

function bound(option: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "bigint" || value < 0n) throw optionInvalid(option, "must be a bigint of at least 0n");
  return value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(value);
}
