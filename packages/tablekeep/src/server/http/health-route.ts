import type { Clock } from "@tablekeep/core";
import type { HttpRoute } from "./http-route.ts";
import { sendJson } from "./send-json.ts";

/** `/healthz`: answers as long as the process can answer at all. */
export function healthRoute(version: string, clock: Clock): HttpRoute {
  const startedAt = clock.monotonic();
  return {
    method: "GET",
    path: "/healthz",
    handle({ response }) {
      const uptimeSeconds = Math.round((clock.monotonic() - startedAt) / 1000);
      sendJson(response, 200, { status: "ok", version, uptimeSeconds });
    },
  };
}
