import type { Clock } from "@tablekeep/core";
import type { Mail } from "@tablekeep/mail";
import { type ApiRoute, HttpError, type HttpExchange } from "../../http/http-route.ts";
import {
  count,
  jsonAnswer,
  limitParameter,
  listOf,
  objectOf,
  queryParameter,
  text,
} from "../../http/openapi.ts";
import { continueAfterDisconnect, queryNumber, readBody } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import type { ServedMail } from "../served-mail.ts";
import { summaryJson, summaryNamed } from "./message-json.ts";
import { kindParameter, parseSearch, searchParameter } from "./search-parameters.ts";
import { waitRoutes } from "./wait-routes.ts";

const base = "/api/v3/mail";
const tags = ["mail"];

/** The mail API: the messages of an inbox. */
export function inboxRoutes(served: ServedMail, clock: Clock): ApiRoute[] {
  const { mail } = served;
  return [
    listMessages(mail),
    injectMessage(served),
    deleteMessages(served),
    countMessages(mail),
    ...waitRoutes(mail, clock),
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

/** The maximum size of a message over SMTP. */
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

/** Milliseconds for a page at a large offset. */
const longDeadlineMs = 50_000;

async function sendPage(exchange: HttpExchange, mail: Mail): Promise<void> {
  const { query, response, signal } = exchange;
  const start = queryNumber(exchange, "start", { fallback: undefined });
  const page = {
    limit: queryNumber(exchange, "limit", { min: 1, max: 250, fallback: 50 }),
    cursor: query.get("cursor") || undefined,
    start,
    // A large offset requires many reads.
    ...(start !== undefined && { deadlineMs: longDeadlineMs }),
    signal,
  };
  const search = parseSearch(query);
  const { items, next } = await (search === undefined ? mail.list(page) : mail.search(search, page));
  sendJson(response, 200, { messages: items.map(summaryJson), next });
}
