import { callApi } from "./call-api.ts";

/** A listener of the server. */
export interface ListenerFacts {
  /** Its name in one word: `http`, `smtp`. */
  readonly name: string;
  readonly purpose: string;
  readonly url: string;
}

/** What runs, and where its data is. */
export interface ServerFacts {
  readonly version: string;
  readonly storage: string;
  readonly listeners: readonly ListenerFacts[];
}

export function fetchServer(signal: AbortSignal): Promise<ServerFacts> {
  return callApi<ServerFacts>("/api/v3/server", { signal });
}
