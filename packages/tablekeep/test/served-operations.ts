import type { HttpRoute } from "../src/server/http/http-route.ts";

/** Every operation that routes serve, as `GET /path/{name}`. */
export function servedOperations(routes: readonly HttpRoute[]): string[] {
  return routes.map(operationName).sort();
}

/** Every operation that routes describe, in the same form. Their path parameters must be those of the path. */
export function describedOperations(routes: readonly HttpRoute[]): string[] {
  return routes
    .flatMap((route) => {
      if (route.describe === undefined) return [];
      const described = parametersOf(route, "path").map(({ name }) => name);
      const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      return [
        described.join() === inPath.join() ? operationName(route) : `${route.path} has other parameters`,
      ];
    })
    .sort();
}

/** The described parameters of a route, of the path or of the query. */
export function parametersOf({ describe }: HttpRoute, kind: "path" | "query"): readonly { name: string }[] {
  const parameters = (describe?.parameters ?? []) as readonly { name: string; in: string }[];
  return parameters.filter((parameter) => parameter.in === kind);
}

/** `GET /path/{name}` */
export function operationName({ method, path }: HttpRoute): string {
  return `${method} ${path.replace(/[:*](\w+)/g, "{$1}")}`;
}
