import type { Clock } from "@tablekeep/core";
import { isMailError, type Mail, type MailChange, type MailSearch } from "@tablekeep/mail";
import { type ServerSentEvent, sendEvents } from "../../http/event-stream.ts";
import { type ApiRoute, HttpError, type HttpExchange } from "../../http/http-route.ts";
import { continueAfterDisconnect, queryNumber, readBody } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import type { ServedMail } from "../served-mail.ts";
import { mailOperations } from "./mail-operations.ts";
import { arrivedJson, summaryJson } from "./message-json.ts";

const kinds: readonly MailSearch["kind"][] = ["from", "to", "containing", "text", "sender", "recipient"];

/** The search of the query string; undefined if it has none. */
function parseSearch(query: URLSearchParams): MailSearch | undefined {
  const wanted = query.get("query") ?? "";
  const requested = query.get("kind");
  if (wanted === "" && requested === null) return undefined;
  const kind = kinds.find((each) => each === (requested ?? "text"));
  if (kind === undefined) throw new HttpError(400, `kind must be one of ${kinds.join(", ")}`);
  if (wanted === "") throw new HttpError(400, "query must not be empty");
  return { kind, query: wanted };
}

const base = "/api/v3/mail";

/** Milliseconds for a page at a large offset. */
const longDeadlineMs = 50_000;
/** As large as a message by SMTP may be. */
const injectedBytes = 52_428_800;

/** The mail API: all messages together. */
export function inboxRoutes({ mail, hostname, logger }: ServedMail, clock: Clock): ApiRoute[] {
  return [
    {
      method: "GET",
      path: `${base}/messages`,
      access: "users",
      describe: mailOperations.listMessages,
      handle: (exchange) => sendPage(exchange, mail),
    },
    {
      method: "POST",
      path: `${base}/messages`,
      access: "users",
      describe: mailOperations.injectMessage,
      async handle({ query, request, response, signal }) {
        const envelope = { from: query.get("from") ?? "", to: query.getAll("to"), helo: hostname };
        const wrong = [envelope.from, ...envelope.to].some((path) => /[\p{Cc}<>]/u.test(path));
        if (wrong || envelope.to.length === 0)
          throw new HttpError(400, "expected from and at least one to in the query");
        const raw = await readBody(request, injectedBytes);
        sendJson(response, 201, summaryJson(await mail.store(envelope, raw, { signal })));
      },
    },
    {
      method: "DELETE",
      path: `${base}/messages`,
      access: "users",
      describe: mailOperations.deleteMessages,
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
    },
    {
      method: "GET",
      path: `${base}/count`,
      access: "users",
      describe: mailOperations.countMessages,
      handle: async ({ response, signal }) =>
        sendJson(response, 200, { count: await mail.count({ signal }) }),
    },
    {
      method: "GET",
      path: `${base}/wait`,
      access: "users",
      describe: mailOperations.waitForMessage,
      async handle(exchange) {
        const { query, response, signal, stopping } = exchange;
        const found = await mail.wait(parseSearch(query), {
          timeoutMs: queryNumber(exchange, "timeoutMs", { max: 50_000, fallback: 30_000 }),
          since: queryNumber(exchange, "since", { fallback: undefined }),
          after: query.get("after") ?? undefined,
          signal: AbortSignal.any([signal, stopping]),
        });
        sendJson(response, 200, { message: found === undefined ? null : arrivedJson(found) });
      },
    },
    {
      method: "GET",
      path: `${base}/events`,
      access: "users",
      describe: mailOperations.followMessages,
      handle(exchange) {
        const { request, signal, stopping } = exchange;
        const seen = request.headers["last-event-id"];
        const after = typeof seen === "string" && seen !== "" ? seen : undefined;
        const changes = resumedChanges(mail, after, AbortSignal.any([signal, stopping]));
        return sendEvents(exchange, changeEvents(changes), clock);
      },
    },
  ];
}

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
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<MailChange, void, undefined> {
  try {
    yield* mail.watchChanges({ after, signal });
  } catch (error) {
    if (!isMailError(error, "MAIL_CURSOR_INVALID")) throw error;
    yield* mail.watchChanges({ signal });
  }
}

/** Only new messages have an id: a client that reconnects continues after the last one. */
async function* changeEvents(
  changes: AsyncIterable<MailChange>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  for await (const change of changes) {
    if (change.kind === "deleted") {
      yield { event: "deleted", data: JSON.stringify({ ids: change.ids }) };
      continue;
    }
    const { summary } = change;
    yield { event: "message", id: summary.cursor, data: JSON.stringify(summaryJson(summary)) };
  }
}
