import type { ApiRoute } from "../../http/http-route.ts";
import { HttpError } from "../../http/http-route.ts";
import { queryNumber, readJson } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import type { ServedMail } from "../served-mail.ts";
import { mailOperations } from "./mail-operations.ts";

const base = "/api/v3/mail";

/** The mail API: sessions, relays and chaos. */
export function sessionRoutes({ transcripts, chaos, defaultChaos, releaser }: ServedMail): ApiRoute[] {
  return [
    {
      method: "GET",
      path: `${base}/sessions`,
      access: "users",
      describe: mailOperations.listSessions,
      handle(exchange) {
        const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 50 });
        const sessions = transcripts.list().slice(0, limit);
        sendJson(exchange.response, 200, {
          sessions: sessions.map(({ lines: _lines, ...session }) => session),
        });
      },
    },
    {
      method: "GET",
      path: `${base}/sessions/:id`,
      access: "users",
      describe: mailOperations.readSession,
      handle({ params, response }) {
        const session = transcripts.get(params["id"] ?? "");
        if (session === undefined) throw new HttpError(404, "no such session");
        sendJson(response, 200, session);
      },
    },
    {
      method: "GET",
      path: `${base}/relays`,
      access: "users",
      describe: mailOperations.listRelays,
      handle({ response }) {
        const relays = [...releaser.relays.values()].map(({ name, host, port, email }) => ({
          name,
          host,
          port,
          email,
        }));
        sendJson(response, 200, { relays });
      },
    },
    {
      method: "GET",
      path: `${base}/chaos`,
      access: "users",
      describe: mailOperations.readChaos,
      handle: ({ response }) =>
        sendJson(response, 200, { settings: chaos.settings ?? null, defaults: defaultChaos }),
    },
    {
      method: "PUT",
      path: `${base}/chaos`,
      access: "users",
      describe: mailOperations.startChaos,
      async handle({ request, response }) {
        const body = (await readJson(request)) ?? {};
        if (typeof body !== "object" || Array.isArray(body))
          throw new HttpError(400, "settings must be an object");
        chaos.start({ ...defaultChaos, ...body });
        sendJson(response, 200, { settings: chaos.settings });
      },
    },
    {
      method: "DELETE",
      path: `${base}/chaos`,
      access: "users",
      describe: mailOperations.stopChaos,
      handle({ response }) {
        chaos.stop();
        sendJson(response, 200, { settings: null });
      },
    },
  ];
}
