import { servedRoutes } from "../served-endpoints.ts";

/** A route of the HTTP listener: `:name` stands for one part of the path, `*name` for the rest. */
export interface KnownRoute {
  readonly method: string;
  readonly path: string;
}

/** Every route of a server with default options, except for those that wait: streams that do not end, and for a message. */
export async function everyRoute(): Promise<readonly KnownRoute[]> {
  const routes = await servedRoutes({ memory: true });
  const waits = /\/(?:wait|live|shadow-events|mail\/events|v1\/events)$/;
  return routes.filter(({ method, path }) => method !== "OPTIONS" && !waits.test(path));
}

/** The path with `value` in the place of every parameter. */
export function filled(path: string, value: string): string {
  return path.replace(/[:*]\w+/g, value);
}
