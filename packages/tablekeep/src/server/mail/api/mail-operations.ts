import {
  jsonAnswer,
  type OpenApiOperation,
  pathParameter,
  queryParameter,
  schemaNamed,
} from "../../http/openapi.ts";

const text = { type: "string" };
const whole = { type: "integer", minimum: 0 };
const listOf = (items: object): object => ({ type: "array", items });
const object = (properties: Record<string, object>): object => ({ type: "object", properties });

const id = pathParameter("id", "The id of the message.");
const kind = queryParameter("kind", "The fields to search.", {
  enum: ["from", "to", "containing", "text", "sender", "recipient"],
  default: "text",
});
const query = queryParameter("query", "The string to search for. Case is ignored.", text);
const limit = (maximum: number): object =>
  queryParameter("limit", "Maximum number of results.", {
    type: "integer",
    minimum: 1,
    maximum,
    default: 50,
  });

const summarySchema = object({
  id: text,
  created: { type: "string", format: "date-time" },
  expires: { type: "string", format: "date-time" },
  envelope: object({ from: text, to: listOf(text), helo: text, user: text }),
  size: whole,
  subject: text,
  from: text,
  to: text,
  preview: text,
  attachments: whole,
});

const settings = object({
  settings: {
    description:
      "Chances from 0 to 1 and link speeds in bytes per second; null while fault injection is off.",
    type: ["object", "null"],
  },
});

const summaryNamed = schemaNamed("MailSummary");

function operation(operationId: string, summary: string, rest: Partial<OpenApiOperation>): OpenApiOperation {
  return { operationId, summary, tags: ["mail"], responses: {}, ...rest };
}

function file(description: string, type: string): OpenApiOperation["responses"] {
  return { 200: { description, content: { [type]: {} } } };
}

/** The operations of the mail API, for the OpenAPI document. */
export const mailOperations: Readonly<Record<MailOperation, OpenApiOperation>> = {
  listMessages: operation("listMessages", "Lists messages, newest first: all, or those that match.", {
    parameters: [
      kind,
      query,
      limit(250),
      queryParameter("cursor", "The `next` of the previous page.", text),
      queryParameter("start", "How many to skip; not together with cursor.", whole),
    ],
    responses: {
      200: jsonAnswer(
        "One page, with `next` if there are more.",
        object({ messages: listOf(summaryNamed), next: text }),
      ),
    },
  }),
  injectMessage: operation("injectMessage", "Stores a message without SMTP.", {
    parameters: [
      queryParameter("from", "The sender.", text),
      {
        name: "to",
        in: "query",
        required: true,
        description: "A recipient. Repeatable.",
        schema: listOf(text),
      },
    ],
    requestBody: { required: true, content: { "message/rfc822": {} } },
    responses: { 201: jsonAnswer("The message is stored.", summaryNamed) },
  }),
  deleteMessages: operation("deleteMessages", "Deletes messages by id, all matches, or all messages.", {
    parameters: [
      queryParameter("id", "The id of a message to delete. Repeatable.", listOf(text)),
      kind,
      query,
      queryParameter("all", "Must be true to delete all messages.", { const: "true" }),
    ],
    responses: { 200: jsonAnswer("The number of deleted messages.", object({ deleted: whole })) },
  }),
  countMessages: operation("countMessages", "Counts the messages.", {
    responses: { 200: jsonAnswer("The number.", object({ count: whole })) },
  }),
  waitForMessage: operation(
    "waitForMessage",
    "Returns the newest message that matches, or waits for the first.",
    {
      parameters: [
        kind,
        query,
        queryParameter("timeoutMs", "Maximum time to wait, in milliseconds.", {
          type: "integer",
          maximum: 50_000,
          default: 30_000,
        }),
        queryParameter("since", "Milliseconds since 1970. Ignores older messages.", whole),
        queryParameter(
          "after",
          "The cursor of a message: returns the next one. If empty, returns the oldest.",
          text,
        ),
      ],
      responses: {
        200: jsonAnswer(
          "The message, or null if none arrived in time.",
          object({ message: { anyOf: [summaryNamed, { type: "null" }] } }),
        ),
      },
    },
  ),
  followMessages: operation(
    "followMessages",
    "Streams new messages of all instances, and the ids of messages that this server deletes, as server-sent events.",
    {
      responses: file("A stream that stays open until the server stops.", "text/event-stream"),
    },
  ),
  readMessage: operation("readMessage", "Returns a decoded message.", {
    parameters: [id],
    responses: {
      200: jsonAnswer("Its headers, text, HTML and attachments; decodeError if it cannot be decoded.", {
        type: "object",
      }),
    },
  }),
  deleteMessage: operation("deleteMessage", "Deletes a message.", {
    parameters: [id],
    responses: { 200: jsonAnswer("The message is deleted.", object({ deleted: whole })) },
  }),
  readRawMessage: operation("readRawMessage", "Returns the bytes of a message as received.", {
    parameters: [id],
    responses: file("The bytes.", "message/rfc822"),
  }),
  showMessage: operation("showMessage", "Returns the HTML of a message as a sanitized page.", {
    parameters: [
      id,
      queryParameter("remote", "Whether remote images may be loaded.", {
        enum: ["true", "false"],
        default: "false",
      }),
    ],
    responses: file("The page.", "text/html"),
  }),
  readAttachment: operation("readAttachment", "Returns one decoded attachment.", {
    parameters: [id, pathParameter("index", "Its position among the attachments, from 0.")],
    responses: file("Its bytes.", "application/octet-stream"),
  }),
  releaseMessage: operation("releaseMessage", "Sends a message to a configured relay.", {
    parameters: [id],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: { ...object({ relay: text, to: text }), required: ["relay"] } },
      },
    },
    responses: {
      200: jsonAnswer("The relay has accepted the message.", object({ released: { const: true } })),
    },
  }),
  listSessions: operation(
    "listSessions",
    "Lists the last SMTP sessions, including those without a message.",
    {
      parameters: [limit(1000)],
      responses: {
        200: jsonAnswer("The sessions, newest first.", object({ sessions: listOf({ type: "object" }) })),
      },
    },
  ),
  readSession: operation("readSession", "Returns the transcript of a session.", {
    parameters: [pathParameter("id", "The id of the session.")],
    responses: { 200: jsonAnswer("The session with its lines.", { type: "object" }) },
  }),
  listRelays: operation("listRelays", "Lists the configured relays.", {
    responses: {
      200: jsonAnswer("The relays, without secrets.", object({ relays: listOf({ type: "object" }) })),
    },
  }),
  readChaos: operation("readChaos", "Returns the settings of fault injection in SMTP.", {
    responses: {
      200: jsonAnswer("The settings, and the defaults.", {
        allOf: [settings, object({ defaults: { type: "object" } })],
      }),
    },
  }),
  startChaos: operation(
    "startChaos",
    "Starts fault injection in SMTP; omitted settings have their defaults.",
    {
      requestBody: { content: { "application/json": { schema: { type: "object" } } } },
      responses: { 200: jsonAnswer("The settings.", settings) },
    },
  ),
  stopChaos: operation("stopChaos", "Stops fault injection in SMTP.", {
    responses: { 200: jsonAnswer("No settings.", settings) },
  }),
};

type MailOperation =
  | "listMessages"
  | "injectMessage"
  | "deleteMessages"
  | "countMessages"
  | "waitForMessage"
  | "followMessages"
  | "readMessage"
  | "deleteMessage"
  | "readRawMessage"
  | "showMessage"
  | "readAttachment"
  | "releaseMessage"
  | "listSessions"
  | "readSession"
  | "listRelays"
  | "readChaos"
  | "startChaos"
  | "stopChaos";

/** The schemas that these operations name. */
export const mailSchemas: Readonly<Record<string, object>> = { MailSummary: summarySchema };
