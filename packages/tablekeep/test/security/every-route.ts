/** A request that the HTTP listener takes: `:name` stands for one part of the path, `*name` for the rest. */
export interface KnownRoute {
  readonly method: string;
  readonly path: string;
}

const one = "/api/v1/messages/:id";

/** What the OpenAPI document does not list: MailHog's API, AWS IoT's data plane, and pages. */
const others: readonly KnownRoute[] = [
  ...["/", "/about", "/healthz", "/readyz", "/metrics", "/api/v3/openapi.json"].map(get),
  ...[one, `${one}/download`, `${one}/mime/part/:part/download`].map(get),
  ...["/api/v1/messages", "/api/v2/messages", "/api/v2/search", "/api/v2/jim", "/api/v2/outgoing-smtp"].map(
    get,
  ),
  { method: "DELETE", path: "/api/v1/messages" },
  { method: "DELETE", path: one },
  { method: "POST", path: `${one}/release` },
  { method: "POST", path: "/api/v2/jim" },
  { method: "PUT", path: "/api/v2/jim" },
  { method: "DELETE", path: "/api/v2/jim" },
  get("/assets/:name"),
  get("/api/things/shadow/ListNamedShadowsForThing/:thing"),
  ...["GET", "POST", "DELETE"].map((method) => ({ method, path: "/things/:thing/shadow" })),
  { method: "POST", path: "/topics/*topic" },
];

function get(path: string): KnownRoute {
  return { method: "GET", path };
}

/** Every request of the HTTP listener at `url`, but for those that wait: streams that do not end, and for a message. */
export async function everyRoute(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly KnownRoute[]> {
  const answer = await fetch(new URL("/api/v3/openapi.json", url), { headers });
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  const own = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => !isStream(operation))
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replace(/\{(\w+)\}/g, ":$1") })),
  );
  return [...own, ...others].filter(({ path }) => !path.endsWith("/wait"));
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: object } | undefined>>;
}

function isStream({ responses }: Operation): boolean {
  return Object.keys(responses["200"]?.content ?? {}).includes("text/event-stream");
}

/** The path with `value` in the place of every parameter. */
export function filled(path: string, value: string): string {
  return path.replace(/[:*]\w+/g, value);
}
