import {
  jsonAnswer,
  type OpenApiOperation,
  pathParameter,
  queryParameter,
  schemaNamed,
} from "../http/openapi.ts";

const text = { type: "string" };
const thing = pathParameter("thing", "The thing.");
const name = queryParameter("name", "The shadow's name; without it the classic shadow.", text);
const header = (called: string, description: string): object => ({
  name: called,
  in: "header",
  required: false,
  description,
  schema: text,
});
const ifMatch = header("If-Match", 'The version that it must have, as in "7".');
const ifNoneMatch = header("If-None-Match", "* demands that there is none yet.");
const halves = {
  type: "object",
  properties: { desired: { type: ["object", "null"] }, reported: { type: ["object", "null"] } },
};
const shadow = {
  type: "object",
  properties: {
    thing: text,
    name: text,
    version: { type: "integer" },
    timestamp: { type: "string", format: "date-time" },
    clientToken: text,
    state: halves,
    delta: { type: "object", description: "What is desired and not reported." },
  },
};
const one = { 200: jsonAnswer("The shadow; its version is the ETag.", schemaNamed("Shadow")) };
const stale = { 412: jsonAnswer("It has another version.", schemaNamed("Error")) };

function operation(operationId: string, summary: string, rest: Partial<OpenApiOperation>): OpenApiOperation {
  return { operationId, summary, tags: ["shadows"], responses: {}, ...rest };
}

/** The operations of the shadow API, for the OpenAPI document. */
export const shadowOperations: Readonly<Record<ShadowOperation, OpenApiOperation>> = {
  listShadows: operation("listShadows", "The shadows of all things, or of one.", {
    parameters: [
      queryParameter("thing", "Only those of this thing.", text),
      queryParameter("prefix", "Only those of things whose names begin so.", text),
      queryParameter("limit", "Maximum number of results.", {
        type: "integer",
        minimum: 1,
        maximum: 1000,
        default: 100,
      }),
      queryParameter("next", "The next of the page before.", text),
    ],
    responses: { 200: jsonAnswer("One page; next is there if there are more.", { type: "object" }) },
  }),
  followShadows: operation("followShadows", "Changes that this server makes, as server-sent events.", {
    parameters: [
      queryParameter("thing", "Only those of this thing.", text),
      queryParameter("name", "Only those of shadows with this name.", text),
    ],
    responses: {
      200: { description: "A stream that ends with the server.", content: { "text/event-stream": {} } },
    },
  }),
  readShadow: operation("readShadow", "One shadow.", { parameters: [thing, name], responses: one }),
  updateShadow: operation(
    "updateShadow",
    "Merges into what is desired, reported or both; MQTT's subscribers are told.",
    {
      parameters: [thing, name, ifMatch, ifNoneMatch],
      requestBody: { required: true, content: { "application/json": { schema: halves } } },
      responses: { ...one, ...stale },
    },
  ),
  deleteShadow: operation("deleteShadow", "Deletes a shadow; its version is remembered for a while.", {
    parameters: [thing, name, ifMatch],
    responses: { 200: jsonAnswer("The version that is gone.", { type: "object" }), ...stale },
  }),
};

type ShadowOperation = "listShadows" | "followShadows" | "readShadow" | "updateShadow" | "deleteShadow";

/** The schemas that these operations name. */
export const shadowSchemas: Readonly<Record<string, object>> = { Shadow: shadow };
