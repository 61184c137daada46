import type { HttpRoute } from "../http/http-route.ts";
import { schemaNamed } from "../http/openapi.ts";
import { sendJson } from "../http/responses.ts";

/** The response of a failed operation. */
const errorSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: { type: "string", description: "One line: what happened and what to do." },
    code: { type: "string", description: "Stable; docs/reference/errors.md lists them." },
    mayBeApplied: {
      const: true,
      description: "The answer was lost and the write may have been applied: check before you repeat it.",
    },
  },
};

/** The content of the document. */
export interface OpenApiOptions {
  readonly version: string;
  /** The routes of all parts. Those with a description become operations. */
  readonly routes: readonly HttpRoute[];
  readonly schemas: Readonly<Record<string, object>>;
  readonly webPath: string;
}

/** The OpenAPI document of everything under `/api/v3`. */
function openApiDocument({ version, routes, schemas, webPath }: OpenApiOptions): object {
  const failed = {
    description: "The request failed.",
    content: { "application/json": { schema: schemaNamed("Error") } },
  };
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path, describe } of routes) {
    if (describe === undefined) continue;
    const operation = { ...describe, responses: { ...describe.responses, default: failed } };
    const documented = path.replace(/:(\w+)/g, "{$1}");
    paths[documented] = { ...paths[documented], [method.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Tablekeep", version },
    ...(webPath !== "" && { servers: [{ url: webPath }] }),
    paths,
    components: { schemas: { Error: errorSchema, ...schemas } },
  };
}

/** `/api/v3/openapi.json`, under the server's web path. */
export function openApiRoute(options: OpenApiOptions): HttpRoute {
  return {
    method: "GET",
    path: `${options.webPath}/api/v3/openapi.json`,
    access: "users",
    handle({ response }) {
      sendJson(response, 200, openApiDocument(options));
    },
  };
}
