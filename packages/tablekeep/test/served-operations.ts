import type { HttpRoute } from "../src/server/http/http-route.ts";
import type { OpenApiPart } from "../src/server/http/openapi.ts";

/** Every operation that routes serve, as `GET /path/{name}`. */
export function servedOperations(routes: readonly HttpRoute[]): string[] {
  return routes.map(({ method, path }) => `${method} ${path.replace(/[:*](\w+)/g, "{$1}")}`).sort();
}

/** Every operation that a part of the OpenAPI document describes, in the same form; its path parameters are checked. */
export function describedOperations({ paths }: OpenApiPart): string[] {
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { parameters = [] }]) => {
        const named = (parameters as readonly { name: string; in: string }[]).filter(
          (one) => one.in === "path",
        );
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        if (named.map(({ name }) => name).join() !== inPath.join()) return `${path} has other parameters`;
        return `${method.toUpperCase()} ${path}`;
      }),
    )
    .sort();
}
