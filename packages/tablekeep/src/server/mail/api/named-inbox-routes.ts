import { randomBytes } from "node:crypto";
import { defaultInbox } from "@tablekeep/mail";
import { type ApiRoute, HttpError, type HttpExchange } from "../../http/http-route.ts";
import {
  count,
  jsonAnswer,
  jsonBody,
  listOf,
  objectOf,
  pathParameter,
  queryParameter,
  text,
} from "../../http/openapi.ts";
import { continueAfterDisconnect, readJson } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import { definitionJson, type InboxDefinition, parseDefinition } from "../inboxes/inbox-definition.ts";
import type { Inboxes } from "../inboxes/inboxes.ts";
import type { ServedMail } from "../served-mail.ts";

const base = "/api/v3/inboxes";
const tags = ["inboxes"];
const name = pathParameter("name", "The name of the inbox.");
const rule = objectOf({ user: text, to: text, header: text, address: text, port: count });
const settings = {
  rules: listOf(rule),
  token: text,
  ttlDays: count,
  maxMessages: count,
  quota: count,
  chaos: { type: "object" },
};
const fields = { name: text, url: text, user: text, token: { type: "boolean" } };
const inbox = objectOf(fields);
const countedInbox = objectOf({ ...fields, messages: count, locked: { type: "boolean" } });

export interface InboxAdminOptions {
  readonly webPath: string;
  /** Whether the server has users: they have access to inboxes with a token as well. */
  readonly hasUsers: boolean;
}

/** The API for named inboxes. */
export function inboxAdminRoutes(served: ServedMail, { webPath, hasUsers }: InboxAdminOptions): ApiRoute[] {
  return [
    listInboxes(served, { webPath, hasUsers }),
    createInbox(served, webPath),
    readInbox(served, webPath),
    defineInbox(served, webPath),
    deleteInbox(served),
  ];
}

/** What a client needs to use an inbox: where its API is, and the user that sends mail to it. */
const accessOf = (webPath: string, inboxName: string) => ({
  url: `${webPath}/inbox/${inboxName}/`,
  user: `inbox+${inboxName}`,
});

function listInboxes({ inboxes }: ServedMail, { webPath, hasUsers }: InboxAdminOptions): ApiRoute {
  return {
    method: "GET",
    path: base,
    access: "users",
    describe: {
      operationId: "listInboxes",
      summary: "Lists the named inboxes: those that are defined, and those that have messages.",
      tags,
      parameters: [
        queryParameter("counts", "Return the number of messages of the first 100 inboxes.", {
          enum: ["true", "false"],
          default: "false",
        }),
      ],
      responses: {
        200: jsonAnswer(
          "The inboxes, by name. One that is locked can be read only with its token.",
          objectOf({ inboxes: listOf(countedInbox) }),
        ),
      },
    },
    async handle({ query, response, signal }) {
      const all = [...(await inboxes.directory.read({ signal })).values()];
      const isLocked = ({ tokenHash }: InboxDefinition) => tokenHash !== undefined && !hasUsers;
      const open = all.filter((each) => !isLocked(each)).slice(0, maxCounted);
      const counts = query.get("counts") === "true" ? await countEach(inboxes, open, signal) : new Map();
      sendJson(response, 200, {
        inboxes: all.map((each) => ({
          ...definitionJson(each),
          ...accessOf(webPath, each.name),
          ...(isLocked(each) && { locked: true }),
          messages: counts.get(each.name),
        })),
      });
    },
  };
}

/** The maximum number of inboxes whose messages are counted, in total and concurrently: each takes a few requests. */
const maxCounted = 100;
const countedAtOnce = 8;

async function countEach(
  inboxes: Inboxes,
  wanted: readonly InboxDefinition[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let at = 0; at < wanted.length; at += countedAtOnce) {
    const part = wanted.slice(at, at + countedAtOnce).map(async ({ name: each }) => {
      const { mail } = await inboxes.open(each, { signal });
      counts.set(each, await mail.count({ signal }));
    });
    await Promise.all(part);
  }
  return counts;
}

function createInbox({ inboxes }: ServedMail, webPath: string): ApiRoute {
  return {
    method: "POST",
    path: base,
    access: "users",
    describe: {
      operationId: "createInbox",
      summary: "Creates an inbox with a name that is not used yet.",
      tags,
      requestBody: { ...jsonBody(objectOf(settings)), required: false },
      responses: { 201: jsonAnswer("The inbox.", inbox) },
    },
    async handle({ request, response, signal }) {
      const unused = `x${randomBytes(8).toString("hex")}`;
      const definition = parseDefinition(unused, await readJson(request));
      await inboxes.directory.save(definition, { signal });
      sendJson(response, 201, { ...definitionJson(definition), ...accessOf(webPath, unused) });
    },
  };
}

function readInbox({ inboxes }: ServedMail, webPath: string): ApiRoute {
  return {
    method: "GET",
    path: `${base}/:name`,
    access: "users",
    describe: {
      operationId: "readInbox",
      summary: "Returns the settings of an inbox.",
      tags,
      parameters: [name],
      responses: { 200: jsonAnswer("The inbox.", inbox) },
    },
    async handle(exchange) {
      const definition = (await inboxes.directory.read({ signal: exchange.signal })).get(nameOf(exchange));
      if (definition === undefined) throw new HttpError(404, "no such inbox");
      sendJson(exchange.response, 200, {
        ...definitionJson(definition),
        ...accessOf(webPath, definition.name),
      });
    },
  };
}

function defineInbox({ inboxes }: ServedMail, webPath: string): ApiRoute {
  return {
    method: "PUT",
    path: `${base}/:name`,
    access: "users",
    describe: {
      operationId: "defineInbox",
      summary: "Creates an inbox, or replaces its settings. Messages are kept.",
      tags,
      parameters: [name],
      requestBody: { ...jsonBody(objectOf(settings)), required: false },
      responses: { 200: jsonAnswer("The inbox.", inbox) },
    },
    async handle(exchange) {
      const definition = parseDefinition(nameOf(exchange), await readJson(exchange.request));
      await inboxes.directory.save(definition, { signal: exchange.signal });
      sendJson(exchange.response, 200, {
        ...definitionJson(definition),
        ...accessOf(webPath, definition.name),
      });
    },
  };
}

function deleteInbox({ inboxes, logger }: ServedMail): ApiRoute {
  return {
    method: "DELETE",
    path: `${base}/:name`,
    access: "users",
    describe: {
      operationId: "deleteInbox",
      summary: "Deletes an inbox with its messages and settings.",
      tags,
      parameters: [name],
      responses: { 200: jsonAnswer("The number of deleted messages.", objectOf({ deleted: count })) },
    },
    async handle(exchange) {
      const deleted = await continueAfterDisconnect(exchange, logger, (signal) =>
        inboxes.remove(nameOf(exchange), { signal }),
      );
      sendJson(exchange.response, 200, { deleted });
    },
  };
}

/** The default inbox has no separate settings: the server's apply. */
function nameOf({ params }: HttpExchange): string {
  const given = params["name"] ?? "";
  if (given === defaultInbox) throw new HttpError(404, "the default inbox is not a named inbox");
  return given;
}
