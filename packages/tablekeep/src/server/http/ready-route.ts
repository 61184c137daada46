import type { Readiness } from "../readiness.ts";
import type { HttpRoute } from "./http-route.ts";
import { sendJson } from "./send-json.ts";

/** `/readyz`: 200 if the server can do its work now, 503 and why if it cannot. */
export function readyRoute(readiness: Readiness): HttpRoute {
  return {
    method: "GET",
    path: "/readyz",
    async handle({ response }) {
      const reason = await readiness.whyNot();
      if (reason === undefined) sendJson(response, 200, { status: "ready" });
      else sendJson(response, 503, { status: "not ready", ...reason });
    },
  };
}
