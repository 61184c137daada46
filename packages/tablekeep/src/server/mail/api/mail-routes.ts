import type { Clock } from "@tablekeep/core";
import type { HttpRoute } from "../../http/http-route.ts";
import type { ServedMail } from "../served-mail.ts";
import { inboxRoutes } from "./inbox-routes.ts";
import { messageRoutes } from "./message-routes.ts";
import { sessionRoutes } from "./session-routes.ts";

/** The mail API. */
export function mailRoutes(served: ServedMail, clock: Clock): HttpRoute[] {
  return [...inboxRoutes(served, clock), ...messageRoutes(served), ...sessionRoutes(served)];
}
