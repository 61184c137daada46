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
const kind = queryParameter("kind", "Where to look.", {
  enum: ["from", "to", "containing", "text", "sender", "recipient"],
  default: "text",
});
const query = queryParameter("query", "What to look for, without regard to case.", text);
const limit = (maximum: number): object =>
  queryParameter("limit", "Maximum number of results.", {
    type: "integer",
    minimum: 1,
    maximum,
    default: 50,
  });

const summary = object({
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
    description: "Chances from 0 to 1 and link speeds in bytes per second; null while there is no chaos.",
    type: ["object", "null"],
  },
});

const summaryNamed = schemaNamed("MailSummary");

function operation(operationId: string, said: string, rest: Partial<OpenApiOperation>): OpenApiOperation {
  return { operationId, summary: said, tags: ["mail"], responses: {}, ...rest };
}

function file(description: string, type: string): OpenApiOperation["responses"] {
  return { 200: { description, content: { [type]: {} } } };
}

/** The operations of the mail API, for the OpenAPI document. */
export const mailOperations: Readonly<Record<MailOperation, OpenApiOperation>> = {
  listMessages: operation("listMessages", "Messages, newest first; all, or those that match.", {
    parameters: [
      kind,
      query,
      limit(250),
      queryParameter("cursor", "The next of the page before.", text),
      queryParameter("start", "How many to skip; not together with cursor.", whole),
    ],
    responses: {
      200: jsonAnswer(
        "One page; next is there if there are more.",
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
        description: "A recipient; may be given several times.",
        schema: listOf(text),
      },
    ],
    requestBody: { required: true, content: { "message/rfc822": {} } },
    responses: { 201: jsonAnswer("It is stored.", summaryNamed) },
  }),
  deleteMessages: operation("deleteMessages", "Deletes these, those that match, or all.", {
    parameters: [
      queryParameter("id", "One to delete; may be given several times.", listOf(text)),
      kind,
      query,
      queryParameter("all", "Must be true where nothing is looked for.", { const: "true" }),
    ],
    responses: { 200: jsonAnswer("How many there were.", object({ deleted: whole })) },
  }),
  countMessages: operation("countMessages", "How many messages there are.", {
    responses: { 200: jsonAnswer("The number.", object({ count: whole })) },
  }),
  waitForMessage: operation("waitForMessage", "The newest message that matches, or the first to arrive.", {
    parameters: [
      kind,
      query,
      queryParameter("timeoutMs", "How long to wait at most.", {
        type: "integer",
        maximum: 50_000,
        default: 30_000,
      }),
      queryParameter("since", "Milliseconds since 1970: older ones do not count.", whole),
      queryParameter("after", "The cursor of a message: returns the next one. Empty: the oldest.", text),
    ],
    responses: {
      200: jsonAnswer(
        "The message, or null if none came in time.",
        object({ message: { anyOf: [summaryNamed, { type: "null" }] } }),
      ),
    },
  }),
  followMessages: operation(
    "followMessages",
    "New messages of all instances as server-sent events with their ids, and the ids that this server deletes.",
    {
      responses: file("A stream that ends with the server.", "text/event-stream"),
    },
  ),
  readMessage: operation("readMessage", "A message as people read it.", {
    parameters: [id],
    responses: {
      200: jsonAnswer("Its headers, text, HTML and what is attached; decodeError if it cannot be decoded.", {
        type: "object",
      }),
    },
  }),
  deleteMessage: operation("deleteMessage", "Deletes a message.", {
    parameters: [id],
    responses: { 200: jsonAnswer("It is gone.", object({ deleted: whole })) },
  }),
  readRawMessage: operation("readRawMessage", "The bytes of a message as they were received.", {
    parameters: [id],
    responses: file("The bytes.", "message/rfc822"),
  }),
  showMessage: operation("showMessage", "The HTML of a message as a cleaned page.", {
    parameters: [
      id,
      queryParameter("remote", "Whether images of the web may be loaded.", {
        enum: ["true", "false"],
        default: "false",
      }),
    ],
    responses: file("The page.", "text/html"),
  }),
  readAttachment: operation("readAttachment", "One attachment, decoded.", {
    parameters: [id, pathParameter("index", "Its place among the attachments, from 0.")],
    responses: file("Its bytes.", "application/octet-stream"),
  }),
  releaseMessage: operation("releaseMessage", "Sends a message on, through a configured relay.", {
    parameters: [id],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: { ...object({ relay: text, to: text }), required: ["relay"] } },
      },
    },
    responses: { 200: jsonAnswer("The relay has taken it.", object({ released: { const: true } })) },
  }),
  listSessions: operation("listSessions", "The last SMTP sessions, also those that left no message.", {
    parameters: [limit(1000)],
    responses: {
      200: jsonAnswer("The sessions, newest first.", object({ sessions: listOf({ type: "object" }) })),
    },
  }),
  readSession: operation("readSession", "What was said in a session.", {
    parameters: [pathParameter("id", "The id of the session.")],
    responses: { 200: jsonAnswer("The session with its lines.", { type: "object" }) },
  }),
  listRelays: operation("listRelays", "Where messages may be released to.", {
    responses: {
      200: jsonAnswer("The relays, without secrets.", object({ relays: listOf({ type: "object" }) })),
    },
  }),
  readChaos: operation("readChaos", "Whether SMTP misbehaves on purpose.", {
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
  stopChaos: operation("stopChaos", "Lets SMTP behave.", {
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
export const mailSchemas: Readonly<Record<string, object>> = { MailSummary: summary };
