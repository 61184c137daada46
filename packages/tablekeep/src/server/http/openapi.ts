/** What a part of the server adds to the OpenAPI document: operations by path and method, and the schemas they name. */
export interface OpenApiPart {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly schemas?: Readonly<Record<string, object>>;
}

/** One operation, as OpenAPI 3.1 has it; the fields that are always there. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

/** A part of the path. */
export function pathParameter(name: string, description: string): object {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

/** A part of the query, which may be left out. */
export function queryParameter(name: string, description: string, schema: object): object {
  return { name, in: "query", required: false, description, schema };
}

/** An answer of one JSON document. */
export function jsonAnswer(description: string, schema: object): object {
  return { description, content: { "application/json": { schema } } };
}

/** A schema of the document by its name. */
export function schemaNamed(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}
