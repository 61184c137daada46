import type { AwsShadowName } from "./shadow-topic.ts";

/** A request to AWS IoT's data plane, by its path. */
export type ShadowRoute =
  | (AwsShadowName & { readonly operation: "get" | "update" | "delete" })
  | {
      readonly operation: "listNamed";
      readonly thingName: string;
      readonly nextToken?: string;
      /** As it was given: it may be no number. */
      readonly pageSize?: string;
    }
  | { readonly operation: "publish"; readonly topic: string; readonly qos: string }
  | { readonly operation: "methodNotAllowed" };

const methods: Readonly<Record<string, "get" | "update" | "delete">> = {
  GET: "get",
  POST: "update",
  DELETE: "delete",
};

/** What a request asks for; undefined if its path is none of the data plane's. The path is as it was sent, still encoded. */
export function shadowRoute(method: string, path: string, query: URLSearchParams): ShadowRoute | undefined {
  const [, thing] = /^\/things\/([^/]+)\/shadow$/.exec(path) ?? [];
  if (thing !== undefined) {
    const operation = methods[method];
    const thingName = decoded(thing);
    if (operation === undefined || thingName === undefined) return { operation: "methodNotAllowed" };
    return { operation, thingName, shadowName: query.get("name") ?? "" };
  }
  const [, listed] = /^\/api\/things\/shadow\/ListNamedShadowsForThing\/([^/]+)$/.exec(path) ?? [];
  if (listed !== undefined) return listRoute(method, decoded(listed), query);
  const [, topic] = /^\/topics\/(.+)$/.exec(path) ?? [];
  const name = topic === undefined ? undefined : decoded(topic);
  if (name === undefined) return undefined;
  if (method !== "POST") return { operation: "methodNotAllowed" };
  return { operation: "publish", topic: name, qos: query.get("qos") ?? "0" };
}

function listRoute(method: string, thingName: string | undefined, query: URLSearchParams): ShadowRoute {
  if (method !== "GET" || thingName === undefined) return { operation: "methodNotAllowed" };
  const [nextToken, pageSize] = [query.get("nextToken"), query.get("pageSize")];
  return {
    operation: "listNamed",
    thingName,
    ...(nextToken !== null && { nextToken }),
    ...(pageSize !== null && { pageSize }),
  };
}

/** The SDKs encode `:` and `$`; what cannot be decoded is no name. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
