import { type ApiRoute, HttpError } from "../../http/http-route.ts";
import { jsonAnswer, limitParameter, listOf, objectOf, pathParameter } from "../../http/openapi.ts";
import { queryNumber, readJson } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import type { ServedMail } from "../served-mail.ts";

const base = "/api/v3/mail";
const tags = ["mail"];

/** The mail API: sessions, relays and chaos. */
export function sessionRoutes(served: ServedMail): ApiRoute[] {
  return [
    listSessions(served),
    readSession(served),
    listRelays(served),
    readChaos(served),
    startChaos(served),
    stopChaos(served),
  ];
}

function listSessions({ transcripts }: ServedMail): ApiRoute {
  return {
    method: "GET",
    path: `${base}/sessions`,
    access: "users",
    describe: {
      operationId: "listSessions",
      summary: "Lists the last SMTP sessions, including those without a message.",
      tags,
      parameters: [limitParameter(1000, 50)],
      responses: {
        200: jsonAnswer("The sessions, newest first.", objectOf({ sessions: listOf({ type: "object" }) })),
      },
    },
    handle(exchange) {
      const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 50 });
      const sessions = transcripts.list().slice(0, limit);
      sendJson(exchange.response, 200, {
        sessions: sessions.map(({ lines: _lines, ...session }) => session),
      });
    },
  };
}

function readSession({ transcripts }: ServedMail): ApiRoute {
  return {
    method: "GET",
    path: `${base}/sessions/:id`,
    access: "users",
    describe: {
      operationId: "readSession",
      summary: "Returns the transcript of a session.",
      tags,
      parameters: [pathParameter("id", "The id of the session.")],
      responses: { 200: jsonAnswer("The session with its lines.", { type: "object" }) },
    },
    handle({ params, response }) {
      const session = transcripts.get(params["id"] ?? "");
      if (session === undefined) throw new HttpError(404, "no such session");
      sendJson(response, 200, session);
    },
  };
}

function listRelays({ releaser }: ServedMail): ApiRoute {
  return {
    method: "GET",
    path: `${base}/relays`,
    access: "users",
    describe: {
      operationId: "listRelays",
      summary: "Lists the relays for released messages.",
      tags,
      responses: {
        200: jsonAnswer("The relays, without secrets.", objectOf({ relays: listOf({ type: "object" }) })),
      },
    },
    handle({ response }) {
      const relays = [...releaser.relays.values()].map(({ name, host, port, email }) => ({
        name,
        host,
        port,
        email,
      }));
      sendJson(response, 200, { relays });
    },
  };
}

const settings = objectOf({
  settings: {
    description:
      "Probabilities from 0 to 1 and link speeds in bytes per second; null without fault injection.",
    type: ["object", "null"],
  },
});

function readChaos({ chaos, defaultChaos }: ServedMail): ApiRoute {
  return {
    method: "GET",
    path: `${base}/chaos`,
    access: "users",
    describe: {
      operationId: "readChaos",
      summary: "Returns the settings of fault injection in SMTP.",
      tags,
      responses: {
        200: jsonAnswer("The settings, and the defaults.", {
          allOf: [settings, objectOf({ defaults: { type: "object" } })],
        }),
      },
    },
    handle: ({ response }) =>
      sendJson(response, 200, { settings: chaos.settings ?? null, defaults: defaultChaos }),
  };
}

function startChaos({ chaos, defaultChaos }: ServedMail): ApiRoute {
  return {
    method: "PUT",
    path: `${base}/chaos`,
    access: "users",
    describe: {
      operationId: "startChaos",
      summary: "Starts fault injection in SMTP; omitted settings have their defaults.",
      tags,
      requestBody: { content: { "application/json": { schema: { type: "object" } } } },
      responses: { 200: jsonAnswer("The settings.", settings) },
    },
    async handle({ request, response }) {
      const body = (await readJson(request)) ?? {};
      if (typeof body !== "object" || Array.isArray(body))
        throw new HttpError(400, "settings must be an object");
      chaos.start({ ...defaultChaos, ...body });
      sendJson(response, 200, { settings: chaos.settings });
    },
  };
}

function stopChaos({ chaos }: ServedMail): ApiRoute {
  return {
    method: "DELETE",
    path: `${base}/chaos`,
    access: "users",
    describe: {
      operationId: "stopChaos",
      summary: "Stops fault injection in SMTP.",
      tags,
      responses: { 200: jsonAnswer("No settings.", settings) },
    },
    handle({ response }) {
      chaos.stop();
      sendJson(response, 200, { settings: null });
    },
  };
}
