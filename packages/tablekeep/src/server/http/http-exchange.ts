import type { IncomingMessage, ServerResponse } from "node:http";

/** One request and the answer to it. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What stands in the path where the route has `:name`, decoded. */
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
export function untilClientGoes(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort(new Error("the client has gone"));
  });
  return gone.signal;
}
