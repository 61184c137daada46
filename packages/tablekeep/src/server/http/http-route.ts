import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenApiOperation } from "./openapi.ts";

/** An answer that a handler gives by throwing it: the request cannot be served as it is. */
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

/** One request and the answer to it. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The decoded path segments of the route's `:name` parts. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Aborted when the client has gone before it was answered. */
  readonly signal: AbortSignal;
  /** Aborted when the server begins to stop: answers that go on for as long as they are listened to end then. */
  readonly stopping: AbortSignal;
  /** Called when the answer turns out to be a stream that lasts as long as its client. */
  readonly onStream: () => void;
}

/** Aborted when the client goes before the answer is whole. */
export function abortOnDisconnect(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort(new Error("the client disconnected"));
  });
  return gone.signal;
}

/** What is known of a request once its route is found. Few values in all: never what a client made up. */
export interface ObservedRequest {
  /** The part of the server that answers; `none` where nothing does. */
  readonly part: string;
  /** `other` for a method that no route has. */
  readonly method: string;
  /** The pattern of the route; `none` where there is none. */
  readonly route: string;
}

/** Told of every request; it may look at the response, and leaves it alone. */
export type RequestObserver = (
  request: ObservedRequest,
  response: ServerResponse,
) => {
  /** Called when the answer turns out to be a stream that lasts as long as its client. */
  onStream(): void;
};

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
  /** Its operation in the OpenAPI document. Routes under `/api/v3` have one. @default none */
  readonly describe?: OpenApiOperation;
  readonly handle: (exchange: HttpExchange) => void | Promise<void>;
}

/** How one signs in where the server has users: `passwords` by name and password alone, `users` with a token as well. */
export type SignedAccess = "users" | "passwords";

/** Required authentication: none (`anybody`), a signature that the handler verifies (`keys`), or that of the server's users. */
export type Access = "anybody" | "keys" | SignedAccess;

/** Who may use what. */
export interface AccessPolicy {
  readonly access: Access;
  /** The one other origin whose pages may use it; `*` for all. @default none */
  readonly corsOrigin?: string;
}

/** Routes that have their manners in common. */
export interface RouteGroup extends AccessPolicy {
  readonly routes: readonly HttpRoute[];
  /** The part of the server that they belong to, for metrics. @default "server" */
  readonly part?: string;
  /** Throws if the request may not come in. Asked once it has signed in, before the route is. @default every request may */
  readonly before?: (exchange: HttpExchange) => void | Promise<void>;
  /** Answers for a handler or `before` that threw. @default one JSON document with the error's code and message */
  readonly answerError?: (error: unknown, exchange: HttpExchange) => void;
}
