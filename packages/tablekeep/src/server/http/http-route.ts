import type { IncomingMessage, ServerResponse } from "node:http";
import { linkSignals } from "@tablekeep/core";
import type { OpenApiOperation } from "./openapi.ts";

/** A response that a handler throws: the request cannot be served. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  override get name(): string {
    return "HttpError";
  }
}

/** A request and its response. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The decoded path segments of the route's `:name` parts. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The authenticated user, or the name of the token; undefined without authentication. */
  readonly user?: string;
  /** Aborted when the client disconnects before the response. */
  readonly signal: AbortSignal;
  /** Aborted when the server begins to stop: endless streams end then. */
  readonly stopping: AbortSignal;
  /** Called when the response is a stream that lasts as long as its client. */
  readonly onStream: () => void;
}

/** Aborted when the client disconnects before the response is complete. */
export function abortOnDisconnect(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort(new Error("the client disconnected"));
  });
  return gone.signal;
}

/** Returns a signal for a response that may last long: aborted when the client disconnects, and when the server begins to stop. */
export function streamSignal({ response, signal, stopping }: HttpExchange): AbortSignal {
  const ended = linkSignals(signal, stopping);
  response.once("close", ended.release);
  return ended.signal;
}

/** Labels of a request once its route is found. They have few values in total, and none that a client chooses. */
export interface ObservedRequest {
  /** The part of the server that responds; `none` if no part does. */
  readonly part: string;
  /** `other` for a method that no route has. */
  readonly method: string;
  /** The pattern of the route; `none` without a route. */
  readonly route: string;
}

/** Called for every request; it may read the response, but not change it. */
export type RequestObserver = (
  request: ObservedRequest,
  response: ServerResponse,
) => {
  /** Called when the response is a stream that lasts as long as its client. */
  onStream(): void;
};

/** Answers every request of a listener, possibly asynchronously; a rejection becomes status 500. */
export type HttpHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
) => void | Promise<void>;

/** Accepted authentication if the server has users: `passwords` accepts only name and password, `users` also a token. */
export type SignedAccess = "users" | "passwords";

/** Required authentication: none (`anybody`), a signature that the handler verifies (`keys`), or that of the server's users. */
export type Access = "anybody" | "keys" | SignedAccess;

/** Access rules. */
export interface AccessPolicy {
  readonly access: Access;
  /** The one other origin whose pages may use it; `*` for all. @default none */
  readonly corsOrigin?: string;
}

/**
 * One route: method and path, required access, what it does, and the handler. The router, the access checks and the OpenAPI
 * document all come from these values. HEAD is answered by the route for GET; Node omits the body.
 */
export interface HttpRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "OPTIONS";
  /** `:name` matches one segment, `*name` at the end the rest: `/api/v3/mail/:id`. */
  readonly path: string;
  readonly access: Access;
  /** The operation in the OpenAPI document. @default none: the document does not list the route */
  readonly describe?: OpenApiOperation;
  /** Whether a request has credentials for this resource alone. It then needs no others. @default no request has */
  readonly hasOwnCredentials?: (
    request: IncomingMessage,
    params: Readonly<Record<string, string>>,
  ) => boolean | Promise<boolean>;
  readonly handle: (exchange: HttpExchange) => void | Promise<void>;
}

/** A route of our own API, under `/api/v3`. Each is described. */
export interface ApiRoute extends HttpRoute {
  readonly describe: OpenApiOperation;
}

/** Routes of one part, with their common settings. */
export interface RouteGroup {
  readonly routes: readonly HttpRoute[];
  /** The one other origin whose pages may use them; `*` for all. @default none */
  readonly corsOrigin?: string;
  /** The part of the server that they belong to, for metrics. @default "server" */
  readonly part?: string;
  /** Throws to reject a request. Called after authentication, before the route. @default accepts every request */
  readonly before?: (exchange: HttpExchange) => void | Promise<void>;
  /** Responds after a handler or `before` has thrown. @default one JSON document with the error's code and message */
  readonly answerError?: (error: unknown, exchange: HttpExchange) => void;
}
