import type { Mail, MailMarks } from "@tablekeep/mail";
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
import type { ServedMail } from "../served-mail.ts";
import { kindParameter, parseSearch, searchParameter } from "./search-parameters.ts";

const base = "/api/v3/mail";
const tags = ["mail"];
const isRead = { type: "boolean" };
const marks = jsonBody(
  objectOf({ read: isRead, tags: listOf(text), addTags: listOf(text), removeTags: listOf(text) }),
);

/** The mail API: read state and tags. */
export function markRoutes({ mail, logger }: Pick<ServedMail, "mail" | "logger">): ApiRoute[] {
  return [markMessage(mail), markMessages(mail, logger)];
}

function markMessage(mail: Mail): ApiRoute {
  return {
    method: "PUT",
    path: `${base}/messages/:id/marks`,
    access: "users",
    describe: {
      operationId: "markMessage",
      summary: "Marks a message as read or unread, or changes its tags.",
      tags,
      parameters: [pathParameter("id", "The id of the message.")],
      requestBody: marks,
      responses: {
        200: jsonAnswer("The marks.", objectOf({ id: text, read: isRead, tags: listOf(text) })),
      },
    },
    async handle(exchange) {
      const { params, response, signal } = exchange;
      const id = params["id"] ?? "";
      await mail.mark([id], await readMarks(exchange), { signal });
      const message = await mail.summary(id, { signal });
      if (message === undefined) throw new HttpError(404, "no such message");
      sendJson(response, 200, { id, read: message.read, tags: message.tags });
    },
  };
}

function markMessages(mail: Mail, logger: ServedMail["logger"]): ApiRoute {
  return {
    method: "PUT",
    path: `${base}/marks`,
    access: "users",
    describe: {
      operationId: "markMessages",
      summary: "Marks messages: by id, or all that a search finds.",
      tags,
      parameters: [
        queryParameter("id", "A message to mark; repeatable.", listOf(text)),
        kindParameter,
        searchParameter,
      ],
      requestBody: marks,
      responses: { 200: jsonAnswer("The number of these messages.", objectOf({ marked: count })) },
    },
    async handle(exchange) {
      const { query, response } = exchange;
      const ids = query.getAll("id");
      const which = ids.length > 0 ? ids : parseSearch(query);
      if (which === undefined) throw new HttpError(400, "expected id, or kind and query");
      const wanted = await readMarks(exchange);
      const marked = await continueAfterDisconnect(exchange, logger, (signal) =>
        mail.mark(which, wanted, { signal }),
      );
      sendJson(response, 200, { marked });
    },
  };
}

/** The store checks the fields. */
async function readMarks({ request }: HttpExchange): Promise<MailMarks> {
  const body = await readJson(request);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw new HttpError(400, "expected an object with read, tags, addTags or removeTags");
}
