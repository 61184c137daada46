import type { Clock } from "@tablekeep/core";
import {
  isMailError,
  type Mail,
  type MailChange,
  type MailQuery,
  type MailSearch,
  type WatchOptions,
} from "@tablekeep/mail";
import { type ServerSentEvent, sendEvents } from "../../http/event-stream.ts";
import { type ApiRoute, HttpError, type HttpExchange } from "../../http/http-route.ts";
import {
  count,
  eventStream,
  jsonAnswer,
  limitParameter,
  listOf,
  objectOf,
  queryParameter,
  schemaNamed,
  text,
} from "../../http/openapi.ts";
import { continueAfterDisconnect, queryNumber, readBody } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import type { ServedMail } from "../served-mail.ts";
import { arrivedJson, summaryJson } from "./message-json.ts";

type SearchKind = MailSearch["kind"] | "query";

const kinds: readonly SearchKind[] = ["query", "from", "to", "containing", "text", "sender", "recipient"];

/** The search of the query string; undefined if it has none. */
export function parseSearch(query: URLSearchParams): MailSearch | MailQuery | undefined {
  const wanted = query.get("query") ?? "";
  const requested = query.get("kind");
  if (wanted === "" && requested === null) return undefined;
  const kind = kinds.find((each) => each === (requested ?? "text"));
  if (kind === undefined) throw new HttpError(400, `kind must be one of ${kinds.join(", ")}`);
  if (wanted === "") throw new HttpError(400, "query must not be empty");
  return kind === "query" ? { query: wanted } : { kind, query: wanted };
}

const base = "/api/v3/mail";
const tags = ["mail"];
export const kindParameter: object = queryParameter(
  "kind",
  "What to search; query is Mailpit's search grammar.",
  {
    enum: kinds,
    default: "text",
  },
);
export const searchParameter: object = queryParameter(
  "query",
  "The string to search for, ignoring case.",
  text,
);
const summaryNamed = schemaNamed("MailSummary");
const time = { type: "string", format: "date-time" };

/** The schemas that the routes name. */
export const mailSchemas: Readonly<Record<string, object>> = {
  MailSummary: objectOf({
    id: text,
    created: time,
    expires: time,
    envelope: objectOf({ from: text, to: listOf(text), helo: text, user: text }),
    size: count,
    subject: text,
    from: text,
    to: text,
    preview: text,
    attachments: count,
    read: { type: "boolean" },
    tags: listOf(text),
    imported: { type: "boolean" },
  }),
};

/** The mail API: all messages together. */
export function inboxRoutes(served: ServedMail, clock: Clock): ApiRoute[] {
  const { mail } = served;
  return [
    listMessages(mail),
    injectMessage(served),
    deleteMessages(served),
    countMessages(mail),
    waitForMessage(mail),
    readPosition(mail),
    followMessages(mail, clock),
  ];
}

function listMessages(mail: Mail): ApiRoute {
  return {
    method: "GET",
    path: `${base}/messages`,
    access: "users",
    describe: {
      operationId: "listMessages",
      summary: "Lists messages, newest first: all, or those that match a search.",
      tags,
      parameters: [
        kindParameter,
        searchParameter,
        limitParameter(250, 50),
        queryParameter("cursor", "The next of the previous page.", text),
        queryParameter("start", "Number of messages to skip; not together with cursor.", count),
      ],
      responses: {
        200: jsonAnswer(
          "One page. next is present if there are more.",
          objectOf({ messages: listOf(summaryNamed), next: text }),
        ),
      },
    },
    handle: (exchange) => sendPage(exchange, mail),
  };
}

/** The maximum size of a message by SMTP. */
const injectedBytes = 52_428_800;

function injectMessage({ intake, hostname }: ServedMail): ApiRoute {
  return {
    method: "POST",
    path: `${base}/messages`,
    access: "users",
    describe: {
      operationId: "injectMessage",
      summary: "Stores a message without SMTP.",
      tags,
      parameters: [
        queryParameter("from", "The sender.", text),
        { ...queryParameter("to", "A recipient; repeatable.", listOf(text)), required: true },
      ],
      requestBody: { required: true, content: { "message/rfc822": {} } },
      responses: { 201: jsonAnswer("The message is stored.", summaryNamed) },
    },
    async handle({ query, request, response, signal }) {
      const envelope = { from: query.get("from") ?? "", to: query.getAll("to"), helo: hostname };
      const wrong = [envelope.from, ...envelope.to].some((path) => /[\p{Cc}<>]/u.test(path));
      if (wrong || envelope.to.length === 0)
        throw new HttpError(400, "expected from and at least one to in the query");
      const raw = await readBody(request, injectedBytes);
      sendJson(response, 201, summaryJson(await intake.store(envelope, raw, { signal })));
    },
  };
}

function deleteMessages({ mail, logger }: ServedMail): ApiRoute {
  return {
    method: "DELETE",
    path: `${base}/messages`,
    access: "users",
    describe: {
      operationId: "deleteMessages",
      summary: "Deletes messages: by id, by a search, or all.",
      tags,
      parameters: [
        queryParameter("id", "A message to delete; repeatable.", listOf(text)),
        kindParameter,
        searchParameter,
        queryParameter("all", "Must be true without id and query.", { const: "true" }),
      ],
      responses: { 200: jsonAnswer("The number of deleted messages.", objectOf({ deleted: count })) },
    },
    async handle(exchange) {
      const { query, response } = exchange;
      const ids = query.getAll("id");
      const which = ids.length > 0 ? ids : parseSearch(query);
      if (which === undefined && query.get("all") !== "true")
        throw new HttpError(400, "expected id, kind and query, or all=true");
      const deleted = await continueAfterDisconnect(exchange, logger, (signal) =>
        which === undefined ? mail.deleteAll({ signal }) : mail.deleteMany(which, { signal }),
      );
      sendJson(response, 200, { deleted });
    },
  };
}

function countMessages(mail: Mail): ApiRoute {
  return {
    method: "GET",
    path: `${base}/count`,
    access: "users",
    describe: {
      operationId: "countMessages",
      summary: "Returns the number of messages: of all, or of those that match a search.",
      tags,
      parameters: [kindParameter, searchParameter],
      responses: { 200: jsonAnswer("The number.", objectOf({ count })) },
    },
    async handle({ query, response, signal }) {
      const search = parseSearch(query);
      // A client that disconnects ends the search.
      const matches = search && (await mail.search(search, { limit: 0, total: true, signal })).total;
      sendJson(response, 200, { count: matches ?? (await mail.count({ signal })) });
    },
  };
}

function waitForMessage(mail: Mail): ApiRoute {
  const waitMs = { type: "integer", maximum: 50_000, default: 30_000 };
  return {
    method: "GET",
    path: `${base}/wait`,
    access: "users",
    describe: {
      operationId: "waitForMessage",
      summary: "Returns the newest message that matches, or waits for the first one.",
      tags,
      parameters: [
        kindParameter,
        searchParameter,
        queryParameter("timeoutMs", "Maximum wait in milliseconds.", waitMs),
        queryParameter("since", "Ignore older messages; milliseconds since 1970.", count),
        queryParameter("after", "The cursor of a message: returns the next one. Empty: the oldest.", text),
        queryParameter("to", "The whole address of a recipient; not together with kind and query.", text),
        queryParameter("from", "The whole address of the sender; not together with kind and query.", text),
        queryParameter("subject", "A part of the subject; not together with kind and query.", text),
      ],
      responses: {
        200: jsonAnswer(
          "The message, or null after the timeout.",
          objectOf({ message: { anyOf: [summaryNamed, { type: "null" }] } }),
        ),
      },
    },
    async handle(exchange) {
      const { response, signal, stopping } = exchange;
      const found = await waitAsked(exchange, mail, AbortSignal.any([signal, stopping]));
      sendJson(response, 200, { message: found === undefined ? null : arrivedJson(found) });
    },
  };
}

function waitAsked(exchange: HttpExchange, mail: Mail, signal: AbortSignal) {
  const { query } = exchange;
  const given = (name: string) => query.get(name) || undefined;
  const search = parseSearch(query);
  const timeoutMs = queryNumber(exchange, "timeoutMs", { max: 50_000, fallback: 30_000 });
  const since = queryNumber(exchange, "since", { fallback: undefined });
  const after = query.get("after") ?? undefined;
  const [to, from, subject] = [given("to"), given("from"), given("subject")];
  if (to === undefined && from === undefined && subject === undefined)
    return mail.wait(search, { timeoutMs, since, after, signal });
  if (search !== undefined || since !== undefined)
    throw new HttpError(400, "to, from and subject exclude kind, query and since");
  return mail.waitFor({ to, from, subject, since: after }, { deadlineMs: Math.max(1, timeoutMs), signal });
}

function readPosition(mail: Mail): ApiRoute {
  return {
    method: "GET",
    path: `${base}/position`,
    access: "users",
    describe: {
      operationId: "readMailPosition",
      summary: "Returns the cursor after all messages that are stored now, for wait.",
      tags,
      responses: { 200: jsonAnswer("The cursor.", objectOf({ cursor: text })) },
    },
    handle: async ({ response, signal }) =>
      sendJson(response, 200, { cursor: await mail.position({ signal }) }),
  };
}

function followMessages(mail: Mail, clock: Clock): ApiRoute {
  return {
    method: "GET",
    path: `${base}/events`,
    access: "users",
    describe: {
      operationId: "followMessages",
      summary:
        "Streams new messages, or those that match a search, and deletes and marks, of all instances. A client that sends Last-Event-ID continues after it.",
      tags,
      parameters: [kindParameter, searchParameter],
      responses: { 200: eventStream },
    },
    handle(exchange) {
      const { request, query, signal, stopping } = exchange;
      const search = parseSearch(query);
      const seen = request.headers["last-event-id"];
      const after = typeof seen === "string" && seen !== "" ? seen : undefined;
      const options = { search, signal: AbortSignal.any([signal, stopping]) };
      // Called here, because an invalid query is rejected before the stream begins.
      const changes = resumedChanges(mail, mail.watchChanges({ after, ...options }), { after, ...options });
      return sendEvents(exchange, changeEvents(changes), clock);
    },
  };
}

/** Milliseconds for a page at a large offset. */
const longDeadlineMs = 50_000;

async function sendPage(exchange: HttpExchange, mail: Mail): Promise<void> {
  const { query, response, signal } = exchange;
  const start = queryNumber(exchange, "start", { fallback: undefined });
  const page = {
    limit: queryNumber(exchange, "limit", { min: 1, max: 250, fallback: 50 }),
    cursor: query.get("cursor") || undefined,
    start,
    // A large offset means that much is read.
    ...(start !== undefined && { deadlineMs: longDeadlineMs }),
    signal,
  };
  const search = parseSearch(query);
  const { items, next } = await (search === undefined ? mail.list(page) : mail.search(search, page));
  sendJson(response, 200, { messages: items.map(summaryJson), next });
}

/** A browser keeps sending its last id: an id of another store, as after a change of the store, starts from now. */
async function* resumedChanges(
  mail: Mail,
  changes: AsyncIterable<MailChange>,
  { after, ...options }: WatchOptions,
): AsyncGenerator<MailChange, void, undefined> {
  try {
    yield* changes;
  } catch (error) {
    const isTooOld = after !== undefined && isMailError(error, "MAIL_WATCHER_TOO_SLOW");
    if (!isTooOld && !isMailError(error, "MAIL_CURSOR_INVALID")) throw error;
    // Otherwise a client that missed too much would fail with the same id again and again.
    if (isTooOld) yield { kind: "reset" };
    yield* mail.watchChanges(options);
  }
}

/** A client that reconnects continues after the last id. */
async function* changeEvents(
  changes: AsyncIterable<MailChange>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  for await (const change of changes) {
    const { event, id, data } = eventOf(change);
    yield { event, ...(id !== undefined && { id }), data: JSON.stringify(data) };
  }
}

function eventOf(change: MailChange): { event: string; id?: string; data: object } {
  switch (change.kind) {
    case "stored":
      return { event: "message", id: change.summary.cursor, data: summaryJson(change.summary) };
    case "deleted":
      return { event: "deleted", id: change.cursor, data: { ids: change.ids } };
    case "marked":
      return { event: "marked", id: change.cursor, data: { messages: change.messages } };
    case "cleared":
      return { event: "cleared", id: change.cursor, data: {} };
    case "reset":
      return { event: "reset", data: {} };
  }
}
