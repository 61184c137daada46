import { randomBytes } from "node:crypto";
import { defaultInbox } from "@tablekeep/mail";
import { type ApiRoute, HttpError, type HttpExchange } from "../../http/http-route.ts";
import { count, jsonAnswer, jsonBody, listOf, objectOf, pathParameter, text } from "../../http/openapi.ts";
import { continueAfterDisconnect, readJson } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import { definitionJson, parseDefinition } from "../inboxes/inbox-definition.ts";
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
const inbox = objectOf({ name: text, url: text, user: text, token: { type: "boolean" } });

/** The API for named inboxes. */
export function inboxAdminRoutes(served: ServedMail, webPath: string): ApiRoute[] {
  return [
    listInboxes(served, webPath),
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

function listInboxes({ inboxes }: ServedMail, webPath: string): ApiRoute {
  return {
    method: "GET",
    path: base,
    access: "users",
    describe: {
      operationId: "listInboxes",
      summary: "Lists the named inboxes: those that are defined, and those that have messages.",
      tags,
      responses: { 200: jsonAnswer("The inboxes, by name.", objectOf({ inboxes: listOf(inbox) })) },
    },
    async handle({ response, signal }) {
      const all = [...(await inboxes.directory.read({ signal })).values()];
      sendJson(response, 200, {
        inboxes: all.map((each) => ({ ...definitionJson(each), ...accessOf(webPath, each.name) })),
      });
    },
  };
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

/** The default inbox has no settings of its own: they are those of the server. */
function nameOf({ params }: HttpExchange): string {
  const given = params["name"] ?? "";
  if (given === defaultInbox) throw new HttpError(404, "the default inbox is not a named inbox");
  return given;
}
