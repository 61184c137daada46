import type { ServerResponse } from "node:http";

/** What is known of a request once its route is found. Few values in all: never what a client made up. */
export interface WatchedRequest {
  /** The part of the server that answers; `none` where nothing does. */
  readonly part: string;
  /** `other` for a method that no route has. */
  readonly method: string;
  /** The pattern of the route; `none` where there is none. */
  readonly route: string;
}

/** Told of every request; it may look at the response, and leaves it alone. */
export type RequestWatch = (
  request: WatchedRequest,
  response: ServerResponse,
) => {
  /** Called when the answer turns out to be a stream that lasts as long as its client. */
  onStream(): void;
};
