import type { Clock } from "@tablekeep/core";
import { isMailError, type Mail, type MailChange, type WatchOptions } from "@tablekeep/mail";
import { type ServerSentEvent, sendEvents } from "../../http/event-stream.ts";
import { type ApiRoute, HttpError, type HttpExchange, streamSignal } from "../../http/http-route.ts";
import { count, eventStream, jsonAnswer, objectOf, queryParameter, text } from "../../http/openapi.ts";
import { queryNumber } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import { arrivedJson, summaryJson, summaryNamed } from "./message-json.ts";
import { kindParameter, parseSearch, searchParameter } from "./search-parameters.ts";

const base = "/api/v3/mail";
const tags = ["mail"];

/** The mail API: messages as they arrive. */
export function waitRoutes(mail: Mail, clock: Clock): ApiRoute[] {
  return [waitForMessage(mail), readPosition(mail), followMessages(mail, clock)];
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
      const { response } = exchange;
      const found = await waitAsked(exchange, mail, streamSignal(exchange));
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
    throw new HttpError(400, "to, from and subject cannot be combined with kind, query and since");
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
      const { request, query } = exchange;
      const search = parseSearch(query);
      const seen = request.headers["last-event-id"];
      const after = typeof seen === "string" && seen !== "" ? seen : undefined;
      const options = { search, signal: streamSignal(exchange) };
      // Called here, because an invalid query is rejected before the stream begins.
      const changes = resumedChanges(mail, mail.watchChanges({ after, ...options }), { after, ...options });
      return sendEvents(exchange, changeEvents(changes), clock);
    },
  };
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
