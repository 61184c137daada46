import type { Clock } from "@tablekeep/core";
import { type Mail, mailhogPart } from "@tablekeep/mail";
import { sendEvents } from "../../http/event-stream.ts";
import { HttpError, type HttpExchange, type HttpRoute, streamSignal } from "../../http/http-route.ts";
import { continueAfterDisconnect, readJson } from "../../http/requests.ts";
import { contentDisposition } from "../../http/responses.ts";
import type { ServedMail } from "../served-mail.ts";
import { badReleaseBody, goJson, send, textJson } from "./mailhog-answers.ts";
import { jimOf, parseJim, parseRelease, relayJson } from "./mailhog-bodies.ts";
import { arrivalEvents } from "./mailhog-push.ts";
import { partFile, sendMessage, sendMessages } from "./send-messages.ts";

const json = "application/json";

/** MailHog has no tokens. */
const access = "passwords";

/** MailHog's first API. `base` is its web path. */
export function firstVersion(base: string, served: ServedMail, clock: Clock): HttpRoute[] {
  const { mail, releaser, logger } = served;
  const one = `${base}/api/v1/messages/:id`;
  return [
    {
      method: "GET",
      path: `${base}/api/v1/messages`,
      access,
      async handle(exchange) {
        const { items } = await mail.list({ limit: 1000, signal: exchange.signal });
        await sendMessages(exchange, mail, { type: textJson, head: "", tail: "", page: items }, clock);
      },
    },
    {
      method: "DELETE",
      path: `${base}/api/v1/messages`,
      access,
      async handle(exchange) {
        await continueAfterDisconnect(exchange, logger, (signal) => mail.deleteAll({ signal }));
        send(exchange.response, 200, textJson);
      },
    },
    {
      method: "GET",
      path: one,
      access,
      async handle({ params, response, signal }) {
        const message = await mail.load(params["id"] ?? "", { signal });
        // MailHog answers `null` with status 200; this serves clients that check the body and those that check the status.
        if (message === undefined) send(response, 404, textJson, "null");
        else await sendMessage({ response, signal }, message, clock);
      },
    },
    {
      method: "DELETE",
      path: one,
      access,
      async handle({ params, response, signal }) {
        const wasThere = await mail.deleteOne(params["id"] ?? "", { signal });
        send(response, wasThere ? 200 : 404, textJson);
      },
    },
    {
      method: "GET",
      path: `${one}/download`,
      access,
      async handle(exchange) {
        const { id, raw } = await loadFor(exchange, mail);
        exchange.response.setHeader("content-disposition", contentDisposition("attachment", `${id}.eml`));
        send(exchange.response, 200, "message/rfc822", raw);
      },
    },
    {
      method: "GET",
      path: `${one}/mime/part/:part/download`,
      access,
      handle: (exchange) => sendPart(exchange, mail),
    },
    {
      method: "POST",
      path: `${one}/release`,
      access,
      async handle(exchange) {
        const request = parseRelease(await readReleaseBody(exchange));
        const message = await loadFor(exchange, mail);
        await releaser.release(message, request, { signal: exchange.signal });
        send(exchange.response, 200, textJson);
      },
    },
    {
      method: "GET",
      path: `${base}/api/v1/events`,
      access,
      handle: (exchange) => sendEvents(exchange, arrivalEvents(mail, streamSignal(exchange)), clock),
    },
  ];
}

/** MailHog's second API. */
export function secondVersion(base: string, served: ServedMail, clock: Clock): HttpRoute[] {
  const { mail, releaser } = served;
  return [
    {
      method: "GET",
      path: `${base}/api/v2/messages`,
      access,
      async handle({ query, response, signal }) {
        const { start, limit } = pageOf(query);
        const [{ items }, total] = await Promise.all([
          mail.list({ start, limit, signal }),
          mail.count({ signal }),
        ]);
        const list = { type: textJson, ...envelope(total, items.length, start), page: items };
        await sendMessages({ response, signal }, mail, list, clock);
      },
    },
    {
      method: "GET",
      path: `${base}/api/v2/search`,
      access,
      async handle({ query, response, signal }) {
        const kind = query.get("kind");
        const wanted = query.get("query") ?? "";
        if ((kind !== "from" && kind !== "to" && kind !== "containing") || wanted === "")
          throw new HttpError(400, "expected kind (from, to or containing) and query");
        const { start, limit } = pageOf(query);
        const found = await mail.search({ kind, query: wanted }, { start, limit, signal, total: true });
        const list = {
          type: json,
          ...envelope(found.total ?? 0, found.items.length, start),
          page: found.items,
        };
        await sendMessages({ response, signal }, mail, list, clock);
      },
    },
    ...jimRoutes(`${base}/api/v2/jim`, served),
    {
      method: "GET",
      path: `${base}/api/v2/outgoing-smtp`,
      access,
      handle({ response }) {
        const relays = [...releaser.relays].map(([name, relay]) => [name, relayJson(relay)]);
        send(response, 200, json, goJson(Object.fromEntries(relays)));
      },
    },
  ];
}

/** Jim, MailHog's name for fault injection in SMTP. */
function jimRoutes(path: string, { chaos, defaultChaos, logger }: ServedMail): HttpRoute[] {
  const invited = () => {
    if (chaos.settings === undefined) throw new HttpError(404, "Jim is not here");
    return chaos.settings;
  };
  return [
    {
      method: "GET",
      path,
      access,
      handle: ({ response }) => send(response, 200, json, goJson(jimOf(invited()))),
    },
    {
      method: "POST",
      path,
      access,
      async handle({ request, response }) {
        if (chaos.settings !== undefined) throw new HttpError(400, "Jim is here already");
        // MailHog also accepts a body that is not JSON.
        const body = await readJson(request).catch(() => undefined);
        chaos.start(body === undefined ? defaultChaos : parseJim(body));
        logger.warn("SMTP fault injection started");
        send(response, 201, json);
      },
    },
    {
      method: "PUT",
      path,
      access,
      async handle({ request, response }) {
        invited();
        chaos.start(parseJim(await readJson(request)));
        send(response, 200, json);
      },
    },
    {
      method: "DELETE",
      path,
      access,
      handle({ response }) {
        invited();
        chaos.stop();
        logger.info("SMTP fault injection stopped");
        send(response, 200, json);
      },
    },
  ];
}

/** Invalid numbers, and those not above 0, count as missing. */
function pageOf(query: URLSearchParams): { start: number; limit: number } {
  const positive = (name: string, fallback: number) => {
    const text = query.get(name) ?? "";
    const value = /^\+?\d{1,15}$/.test(text) ? Number(text) : 0;
    return value > 0 ? value : fallback;
  };
  return { start: positive("start", 0), limit: Math.min(positive("limit", 50), 250) };
}

function envelope(total: number, count: number, start: number): { head: string; tail: string } {
  return { head: `{"total":${total},"count":${count},"start":${start},"items":`, tail: "}" };
}

async function loadFor({ params, signal }: HttpExchange, mail: Mail) {
  const message = await mail.load(params["id"] ?? "", { signal });
  if (message === undefined) throw new HttpError(404, "no such message");
  return message;
}

/** `{part}` counts the parts that MailHog cuts at the top, preamble and closing dashes included. */
async function sendPart(exchange: HttpExchange, mail: Mail): Promise<void> {
  const { params, response } = exchange;
  const message = await loadFor(exchange, mail);
  const name = params["part"] ?? "";
  // Go's Atoi is 0 for what is not a number, and out of range for one that is too large.
  const part = await mailhogPart(message.raw, /^[+-]?\d+$/.test(name) ? Number(name) : 0);
  if (part === undefined) throw new HttpError(404, "no such part");
  const { headers, body } = partFile(part, `${message.id}-part-${name}`);
  response.writeHead(200, { ...headers, "content-length": body.length });
  response.end(body);
}

/** MailHog answers an unreadable body with status 500 and this message. */
async function readReleaseBody({ request }: HttpExchange): Promise<unknown> {
  try {
    return await readJson(request);
  } catch {
    throw new HttpError(500, badReleaseBody);
  }
}
