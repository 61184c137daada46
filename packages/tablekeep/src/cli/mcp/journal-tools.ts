import { unwrap } from "@tablekeep/core";
import type { IdPage, JournalEvent } from "@tablekeep/journal";
import { feedEventJson, feedStart, feedTotals, unreadableJson } from "../../json/feed-json.ts";
import { feedRows, isUnreadable } from "../../json/feed-rows.ts";
import { eventJson } from "../../json/journal-json.ts";
import { findFeed } from "../journal/find-feed.ts";
import { findJournal, knowsId, unknownId } from "../journal/find-journal.ts";
import { requireRange } from "../journal/journal-flags.ts";
import { boundedRows, type Chunk } from "./bounded-rows.ts";
import { limitOf, schemas, type Tool, type ToolArguments, type ToolCall, textOf } from "./tool.ts";
import { finalEntry, writeWithCheckpoint } from "./undo-checkpoints.ts";

const journal = schemas.text("Table of the journal (default: the one of the settings, or the only one).");
const id = schemas.text("Persistence id.");
const sequenceNr = { type: "integer", minimum: 1 };

function flagsOf(args: ToolArguments, { flags }: ToolCall) {
  return { ...flags, table: textOf(args, "journal") };
}

const listIds: Tool = {
  name: "list_ids",
  description:
    "Lists the persistence ids of a journal, in no particular order. next continues; a page may be empty although more follow.",
  input: {
    journal,
    prefix: schemas.text("Only ids with this prefix."),
    limit: schemas.limit,
    cursor: schemas.cursor,
  },
  optional: ["journal", "prefix", "limit", "cursor"],
  async run(args, call) {
    const { listIds: pageOfIds, openJournalReader } = await import("@tablekeep/journal");
    const { maxBytes, io } = call;
    await using found = await findJournal(flagsOf(args, call), io);
    const reader = await openJournalReader(found.port, found.journal);
    const limit = limitOf(args);
    const page = await pageOfIds(reader, {
      prefix: textOf(args, "prefix"),
      after: textOf(args, "cursor"),
      limit,
      signal: io.signal,
    });
    const { rows, next } = await boundedRows(idChunks(page), { limit, maxBytes });
    return { table: found.table, ids: rows, ...(next !== undefined && { next }) };
  },
};

async function* idChunks({ ids, next }: IdPage): AsyncGenerator<Chunk> {
  for (const { persistenceId, cursor } of ids) yield { rows: [{ id: persistenceId }], next: cursor };
  yield { rows: [], next };
}

const readEvents: Tool = {
  name: "read_events",
  description: "Returns the events of a persistence id in order. next is the from of the next call.",
  input: {
    journal,
    id,
    from: { ...sequenceNr, description: "First sequence number (default: 1)." },
    to: { ...sequenceNr, description: "Last sequence number." },
    limit: schemas.limit,
  },
  optional: ["journal", "from", "to", "limit"],
  async run(args, call) {
    const { eventsInRange, openJournalReader } = await import("@tablekeep/journal");
    const { maxBytes, io } = call;
    const { signal } = io;
    const persistenceId = textOf(args, "id") ?? "";
    const max = Number.POSITIVE_INFINITY;
    const { from = 1, to = max } = args as { readonly from?: number; readonly to?: number };
    requireRange(from, to);
    await using found = await findJournal(flagsOf(args, call), io);
    const reader = await openJournalReader(found.port, found.journal);
    if (!(await knowsId(reader, persistenceId, signal))) throw unknownId(found, persistenceId);
    const events = eventsInRange(reader, persistenceId, { from, to, max, signal });
    const { rows, next } = await boundedRows(eventChunks(events, to), { limit: limitOf(args), maxBytes });
    return { table: found.table, events: rows, ...(next !== undefined && { next: Number(next) }) };
  },
};

async function* eventChunks(events: AsyncIterable<JournalEvent>, to: number): AsyncGenerator<Chunk> {
  for await (const event of events) {
    const next = event.sequenceNr + 1;
    yield { rows: [eventJson(event)], ...(next <= to && { next: String(next) }) };
  }
  yield { rows: [] };
}

const appendEvents: Tool = {
  name: "append_events",
  description:
    "Appends events to a persistence id, all or none. Events are facts and cannot be undone: append one that compensates. expected prevents writing over the work of others.",
  input: {
    journal,
    id,
    events: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: {
        type: "object",
        properties: {
          payload: { description: "Any JSON value." },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["payload"],
        additionalProperties: false,
      },
    },
    expected: {
      type: "integer",
      minimum: 0,
      description: "Fail unless this is the highest sequence number; 0 for a new id (default: any).",
    },
  },
  optional: ["journal", "expected"],
  writes: true,
  async run(args, call) {
    const { openJournal } = await import("@tablekeep/journal");
    const { io } = call;
    await using found = await findJournal(flagsOf(args, call), io);
    await using opened = await openJournal(found.port, found.journal);
    const events = args["events"] as readonly {
      readonly payload: unknown;
      readonly tags?: readonly string[];
    }[];
    const expected = (args["expected"] as number | undefined) ?? "any";
    const persistenceId = textOf(args, "id") ?? "";
    const entry = finalEntry(`append to ${persistenceId}`, "events are facts");
    const { result, undo } = await writeWithCheckpoint(
      call.undoCheckpoints,
      entry,
      async () => unwrap(await opened.append(persistenceId, events, { expected, signal: io.signal })),
      () => entry,
    );
    return { table: found.table, ...result, undo };
  },
};

const readFeed: Tool = {
  name: "read_feed",
  description:
    "Returns events of all persistence ids of a journal, by position. from is start, end, a time, or the next of the previous result. An event that cannot be read has an error instead of a payload.",
  input: {
    journal,
    from: schemas.text("start, end, a position or a time such as 2026-11-16T08:00:00Z (default: start)."),
    type: schemas.text("Entity type: what precedes the first | in the id."),
    tag: schemas.text("Only events with this tag."),
    limit: schemas.limit,
  },
  optional: ["journal", "from", "type", "tag", "limit"],
  async run(args, call) {
    const { maxBytes, io } = call;
    await using found = await findFeed(flagsOf(args, call), io);
    const from = feedStart(textOf(args, "from") ?? "start");
    const { signal } = io;
    const reading = { from, type: textOf(args, "type"), tag: textOf(args, "tag"), signal };
    const chunks = async function* (): AsyncGenerator<Chunk> {
      for await (const event of feedRows(found.feed, reading)) {
        const row = isUnreadable(event) ? unreadableJson(event) : feedEventJson(event);
        yield { rows: [row], next: event.position };
      }
      // An aborted read ends without an error.
      signal.throwIfAborted();
      yield { rows: [] };
    };
    const { rows, next } = await boundedRows(chunks(), { limit: limitOf(args), maxBytes });
    return { table: found.table, events: rows, ...(next !== undefined && { next }) };
  },
};

const feedStatus: Tool = {
  name: "feed_status",
  description:
    "Returns the position of a journal's feed, how far it is behind, and which process runs it. unreadable: items of the journal that the last sweep could not read, whose events may be missing in the feed. corrupt: slices whose last page is corrupt.",
  input: { journal },
  optional: ["journal"],
  async run(args, call) {
    await using found = await findFeed(flagsOf(args, call), call.io);
    const { slices, ...status } = await found.feed.status({ signal: call.io.signal });
    const corrupt = slices.flatMap(({ error }, slice) => (error === undefined ? [] : [{ slice, error }]));
    return {
      table: found.table,
      ...status,
      ...feedTotals({ slices }),
      slices: slices.length,
      ...(corrupt.length > 0 && { corrupt }),
    };
  },
};

/** Tools over journals and their feeds. */
export const journalTools: readonly Tool[] = [listIds, readEvents, appendEvents, readFeed, feedStatus];
