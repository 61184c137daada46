import { callApi } from "./call-api.ts";

/** A listener of the server. */
export interface ListenerFacts {
  /** Its one-word name: `http`, `smtp`. */
  readonly name: string;
  readonly purpose: string;
  readonly url: string;
}

/** The running server, and the location of its data. */
export interface ServerFacts {
  readonly version: string;
  readonly storage: string;
  readonly listeners: readonly ListenerFacts[];
}

export function fetchServer(signal: AbortSignal): Promise<ServerFacts> {
  return callApi<ServerFacts>("/api/v3/server", { signal });
}
