/** One operation of the OpenAPI 3.1 document. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

/** Schemas that many operations use. */
export const text = { type: "string" };
export const count = { type: "integer", minimum: 0 };

/** The schema of an array. */
export function listOf(items: object): object {
  return { type: "array", items };
}

/** The schema of an object. */
export function objectOf(properties: Readonly<Record<string, object>>): object {
  return { type: "object", properties };
}

/** A parameter in the path. */
export function pathParameter(name: string, description: string): object {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

/** An optional parameter in the query. */
export function queryParameter(name: string, description: string, schema: object): object {
  return { name, in: "query", required: false, description, schema };
}

/** The parameter `limit` of a page. */
export function limitParameter(maximum: number, byDefault: number): object {
  const schema = { type: "integer", minimum: 1, maximum, default: byDefault };
  return queryParameter("limit", "Maximum number of results.", schema);
}

/** A JSON request body. */
export function jsonBody(schema: object): object {
  return { required: true, content: { "application/json": { schema } } };
}

/** A stream of server-sent events. */
export const eventStream = {
  description: "A stream of server-sent events, until the server stops.",
  content: { "text/event-stream": {} },
};

/** A JSON response. */
export function jsonAnswer(description: string, schema: object): object {
  return { description, content: { "application/json": { schema } } };
}

/** A reference to a schema of the document. */
export function schemaNamed(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}
