import type { HttpRoute } from "../http/http-route.ts";
import { type OpenApiPart, schemaNamed } from "../http/openapi.ts";
import { sendJson } from "../http/responses.ts";

/** What every operation may answer when it fails. */
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

/** The OpenAPI document of everything under `/api/v3`. */
function openApiDocument(version: string, parts: readonly OpenApiPart[], webPath: string): object {
  const failed = {
    description: "It failed.",
    content: { "application/json": { schema: schemaNamed("Error") } },
  };
  const paths = Object.fromEntries(
    parts.flatMap((part) =>
      Object.entries(part.paths).map(([path, operations]) => [
        path,
        Object.fromEntries(
          Object.entries(operations).map(([method, operation]) => [
            method,
            { ...operation, responses: { ...operation.responses, default: failed } },
          ]),
        ),
      ]),
    ),
  );
  return {
    openapi: "3.1.0",
    info: { title: "Tablekeep", version },
    ...(webPath !== "" && { servers: [{ url: webPath }] }),
    paths,
    components: { schemas: Object.assign({ Error: errorSchema }, ...parts.map(({ schemas }) => schemas)) },
  };
}

/** `/api/v3/openapi.json`, under the server's web path. */
export function openApiRoute(version: string, parts: readonly OpenApiPart[], webPath: string): HttpRoute {
  return {
    method: "GET",
    path: `${webPath}/api/v3/openapi.json`,
    handle({ response }) {
      sendJson(response, 200, openApiDocument(version, parts, webPath));
    },
  };
}
