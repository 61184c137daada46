/** One operation of the OpenAPI 3.1 document. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

/** A parameter in the path. */
export function pathParameter(name: string, description: string): object {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

/** An optional parameter in the query. */
export function queryParameter(name: string, description: string, schema: object): object {
  return { name, in: "query", required: false, description, schema };
}

/** A JSON response. */
export function jsonAnswer(description: string, schema: object): object {
  return { description, content: { "application/json": { schema } } };
}

/** A reference to a schema of the document. */
export function schemaNamed(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}
