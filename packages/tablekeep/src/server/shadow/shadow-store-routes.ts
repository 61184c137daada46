import type { HttpRoute } from "../http/http-route.ts";
import { HttpError } from "../http/http-route.ts";
import { jsonAnswer, type OpenApiPart, pathParameter } from "../http/openapi.ts";
import { sendJson } from "../http/responses.ts";

/** Where the routes of each store are. */
const root = "/api/v3/shadow-stores";

/** The routes of one store, under its name. */
export interface StoreRoutes {
  readonly name: string;
  readonly routes: readonly HttpRoute[];
}

/** The API of shadows, once for all stores by their names. All have the same routes. */
export function shadowStoreRoutes(stores: readonly StoreRoutes[]): HttpRoute[] {
  const byName = new Map(stores.map(({ name, routes }) => [name, routes]));
  const list: HttpRoute = {
    method: "GET",
    path: root,
    handle: ({ response }) => sendJson(response, 200, { stores: [...byName.keys()] }),
  };
  const shared = (stores[0]?.routes ?? []).map(
    ({ method, path }, at): HttpRoute => ({
      method,
      path: path.replace("/api/v3", `${root}/:store`),
      handle(exchange) {
        const route = byName.get(exchange.params["store"] ?? "")?.[at];
        if (route === undefined) throw new HttpError(404, "no such shadow store");
        return route.handle(exchange);
      },
    }),
  );
  return [list, ...shared];
}

/** What {@link shadowStoreRoutes} adds to a description of one store's routes. */
export function withShadowStores({ paths, schemas }: OpenApiPart): OpenApiPart {
  const store = pathParameter("store", "The store.");
  const added = Object.entries(paths).map(([path, operations]) => [
    path.replace("/api/v3", `${root}/{store}`),
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        {
          ...operation,
          operationId: `${operation.operationId}OfStore`,
          parameters: [store, ...(operation.parameters ?? [])],
        },
      ]),
    ),
  ]);
  const list = {
    get: {
      operationId: "listShadowStores",
      summary: "The names of all stores of shadows.",
      tags: ["shadows"],
      responses: { 200: jsonAnswer("The first is the one that AWS's paths lead to.", { type: "object" }) },
    },
  };
  return {
    paths: { ...paths, [root]: list, ...Object.fromEntries(added) },
    ...(schemas && { schemas }),
  };
}
