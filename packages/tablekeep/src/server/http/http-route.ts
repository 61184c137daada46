import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpExchange } from "./http-exchange.ts";

/** Answers every request of a listener. It may answer later; a rejection becomes status 500. */
export type HttpHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
) => void | Promise<void>;

/** What answers the requests for one path. HEAD is answered by the route for GET; Node leaves the body out. */
export interface HttpRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "OPTIONS";
  /** As {@link pathPattern} understands it: `/api/v3/mail/:id`. */
  readonly path: string;
  readonly handle: (exchange: HttpExchange) => void | Promise<void>;
}

/** How one signs in where the server has users: `passwords` by name and password alone, `users` with a token as well. */
export type SignedAccess = "users" | "passwords";

/** Who may come in: anybody, whoever signs in where the server has users, or who signs with a key, which the handler checks. */
export type Access = "anybody" | "keys" | SignedAccess;

/** Who may use what. */
export interface Manners {
  readonly access: Access;
  /** The one other origin whose pages may use it; `*` for all. @default none */
  readonly corsOrigin?: string | undefined;
}

/** Routes that have their manners in common. */
export interface RouteGroup extends Manners {
  readonly routes: readonly HttpRoute[];
  /** The part of the server that they belong to, for metrics. @default "server" */
  readonly part?: string;
  /** Throws if the request may not come in. Asked once it has signed in, before the route is. @default every request may */
  readonly guard?: ((exchange: HttpExchange) => void | Promise<void>) | undefined;
  /** Answers for a handler or guard that threw. @default one JSON document with the error's code and message */
  readonly answerError?: ((error: unknown, exchange: HttpExchange) => void) | undefined;
}
