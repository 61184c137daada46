import {
  jsonAnswer,
  type OpenApiOperation,
  pathParameter,
  queryParameter,
  schemaNamed,
} from "../http/openapi.ts";

const tags = ["journals"];
const whole = { type: "integer", minimum: 1 };
const journal = pathParameter("journal", "The journal's name in the server's configuration.");
const id = pathParameter("id", "The persistence id.");
const limit = queryParameter("limit", "Maximum number of results.", {
  type: "integer",
  minimum: 1,
  maximum: 1000,
  default: 100,
});
const listOf = (items: object): object => ({ type: "array", items });

const position = {
  type: "object",
  properties: {
    persistenceId: { type: "string" },
    highestSequenceNr: { type: "integer" },
    lowestSequenceNr: { type: "integer" },
  },
};

const event = {
  type: "object",
  properties: {
    persistenceId: { type: "string" },
    sequenceNr: whole,
    payload: { description: "64-bit numbers are strings of digits, bytes are base64." },
    payloadForm: {
      enum: ["json", "bytes", "unknown"],
      description: "unknown: an object with the bytes of a serializer that this server does not know.",
    },
    serializerId: { type: "integer" },
    manifest: { type: "string" },
    writerUuid: { type: "string" },
    timestamp: { type: "integer", description: "Milliseconds since 1970." },
    tags: listOf({ type: "string" }),
  },
};

const append = {
  type: "object",
  required: ["events"],
  properties: {
    events: listOf({
      type: "object",
      required: ["payload"],
      properties: {
        payload: {},
        manifest: { type: "string" },
        tags: listOf({ type: "string" }),
        metadata: {},
        timestamp: { type: "integer" },
      },
    }),
    expected: { type: "integer", minimum: 0, description: "The number that must be the highest before." },
    atomic: { type: "boolean", default: true, description: "Whether all are written or none." },
  },
};

const outcomes = {
  type: "object",
  properties: {
    outcomes: listOf({
      type: "object",
      properties: {
        outcome: { enum: ["ok", "rejected", "conflict", "unknown"] },
        first: whole,
        last: whole,
        code: { type: "string" },
        error: { type: "string" },
      },
    }),
  },
};

/** The operations of the journal API, for the OpenAPI document. */
export const journalOperations: Readonly<Record<JournalOperation, OpenApiOperation>> = {
  listJournals: {
    operationId: "listJournals",
    summary: "The journals that this server offers.",
    tags,
    responses: { 200: jsonAnswer("Their names, tables and layouts.", { type: "object" }) },
  },
  countJournal: {
    operationId: "countJournal",
    summary: "Counts what a journal holds by reading its table once, or of one id.",
    tags,
    parameters: [journal, queryParameter("id", "One persistence id only.", { type: "string" })],
    responses: { 200: jsonAnswer("The counts.", { type: "object" }) },
  },
  listPersistenceIds: {
    operationId: "listPersistenceIds",
    summary: "The ids of a journal.",
    tags,
    parameters: [
      journal,
      limit,
      queryParameter("prefix", "What the ids begin with.", { type: "string" }),
      queryParameter("after", "The next of the page before.", { type: "string" }),
    ],
    responses: {
      200: jsonAnswer("One page; next is there if there may be more.", {
        type: "object",
        properties: { ids: listOf({ type: "string" }), next: { type: "string" } },
      }),
    },
  },
  readPosition: {
    operationId: "readPosition",
    summary: "Where an id stands.",
    tags,
    parameters: [journal, id],
    responses: {
      200: jsonAnswer("Its highest and lowest number; 0 and 1 for an id without events.", position),
    },
  },
  readEvents: {
    operationId: "readEvents",
    summary: "Events of an id, in order.",
    tags,
    parameters: [
      journal,
      id,
      queryParameter("from", "The first number.", whole),
      queryParameter("to", "The last number.", whole),
      queryParameter("order", "desc: the newest first.", { enum: ["asc", "desc"], default: "asc" }),
      limit,
    ],
    responses: {
      200: jsonAnswer("One page; next is the from of the next one, or with desc its to.", {
        type: "object",
        properties: { events: listOf(schemaNamed("JournalEvent")), next: whole },
      }),
    },
  },
  appendEvents: {
    operationId: "appendEvents",
    summary: "Appends events to an id.",
    tags,
    parameters: [journal, id],
    requestBody: { required: true, content: { "application/json": { schema: append } } },
    responses: {
      200: jsonAnswer("All are stored.", outcomes),
      409: jsonAnswer("Surely not stored: another's events came first.", outcomes),
      504: jsonAnswer("The answer is lost: they may be stored.", outcomes),
    },
  },
  followEvents: {
    operationId: "followEvents",
    summary: "Events of an id, and those that come, as server-sent events with their numbers as ids.",
    tags,
    parameters: [journal, id, queryParameter("from", "The first number.", whole)],
    responses: {
      200: { description: "A stream that ends with the server.", content: { "text/event-stream": {} } },
    },
  },
  listSnapshots: {
    operationId: "listSnapshots",
    summary: "The snapshots of an id, by rising number.",
    tags,
    parameters: [
      journal,
      id,
      limit,
      queryParameter("from", "The first number.", { type: "integer", minimum: 0 }),
    ],
    responses: {
      200: jsonAnswer("Their numbers and times; next is the from of the next page.", { type: "object" }),
    },
  },
  readSnapshot: {
    operationId: "readSnapshot",
    summary: "One snapshot.",
    tags,
    parameters: [journal, id, pathParameter("sequenceNr", "Its number, or latest.")],
    responses: { 200: jsonAnswer("The snapshot with its state.", { type: "object" }) },
  },
};

type JournalOperation =
  | "listJournals"
  | "countJournal"
  | "listPersistenceIds"
  | "readPosition"
  | "readEvents"
  | "appendEvents"
  | "followEvents"
  | "listSnapshots"
  | "readSnapshot";

/** The schemas that these operations name. */
export const journalSchemas: Readonly<Record<string, object>> = { JournalEvent: event };
