import { type ApiRoute, HttpError } from "../http/http-route.ts";
import { jsonAnswer, type OpenApiOperation, pathParameter } from "../http/openapi.ts";
import { sendJson } from "../http/responses.ts";

/** The paths of the routes of each store. */
const root = "/api/v3/shadow-stores";

/** The routes of one store, under its name. */
export interface StoreRoutes {
  readonly name: string;
  readonly routes: readonly ApiRoute[];
}

/** The API of shadows, with the name of the store in the path. All stores have the same routes. */
export function shadowStoreRoutes(stores: readonly StoreRoutes[]): ApiRoute[] {
  const byName = new Map(stores.map(({ name, routes }) => [name, routes]));
  const list: ApiRoute = {
    method: "GET",
    path: root,
    access: "users",
    describe: {
      operationId: "listShadowStores",
      summary: "Lists the names of all shadow stores.",
      tags: ["shadows"],
      responses: { 200: jsonAnswer("AWS's paths use the first one.", { type: "object" }) },
    },
    handle: ({ response }) => sendJson(response, 200, { stores: [...byName.keys()] }),
  };
  const shared = (stores[0]?.routes ?? []).map(
    ({ path, describe, ...route }, at): ApiRoute => ({
      ...route,
      path: path.replace("/api/v3", `${root}/:store`),
      describe: operationOfStore(describe),
      handle(exchange) {
        const route = byName.get(exchange.params["store"] ?? "")?.[at];
        if (route === undefined) throw new HttpError(404, "no such shadow store");
        return route.handle(exchange);
      },
    }),
  );
  return [list, ...shared];
}

/** The operation of a route under the name of a store. */
function operationOfStore(operation: OpenApiOperation): OpenApiOperation {
  const store = pathParameter("store", "Name of the shadow store.");
  return {
    ...operation,
    operationId: `${operation.operationId}OfStore`,
    parameters: [store, ...(operation.parameters ?? [])],
  };
}
