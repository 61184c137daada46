import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";

/** A version of a shadow. */
export interface ShadowVersion {
  readonly thing: string;
  /** The name of the shadow; "" for the classic one. */
  readonly name: string;
  readonly kind: "updated" | "deleted";
  readonly version: number;
  readonly state: ShadowState;
  /** Desired values that are not reported; undefined if there are none. */
  readonly delta?: Readonly<Record<string, unknown>>;
}

/** The halves of a shadow. */
export interface ShadowState {
  readonly desired?: Readonly<Record<string, unknown>>;
  readonly reported?: Readonly<Record<string, unknown>>;
}

/** The changes to all shadows of a server. */
export interface ShadowChanges {
  /** Why changes are missing; undefined while there are all. */
  readonly failure: Error | undefined;
  /** Calls `listener` for each change from now on, and once more without one if the changes end. Returns a function that stops it. */
  listen(listener: (change: ShadowVersion | undefined) => void): () => void;
}

/** Follows the changes to a server's shadows. None is missing from the time at which the promise resolves. Does not keep the process alive. */
export async function followShadows(url: string): Promise<ShadowChanges> {
  const listeners = new Set<(change: ShadowVersion | undefined) => void>();
  let failure: Error | undefined;
  const request = get(new URL("api/v3/shadow-events", url), { agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.socket.unref();
  if (response.statusCode !== 200)
    throw new Error(`cannot follow the shadows at ${url}: the server returned status ${response.statusCode}`);
  const emit = (change: ShadowVersion | undefined) => {
    for (const listener of listeners) listener(change);
  };
  const end = () => {
    if (failure !== undefined) return;
    failure = new Error(
      "the changes to shadows have ended: the server was stopped, or they arrived too fast",
    );
    emit(undefined);
  };
  let text = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const events = (text + chunk).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const change = parseEvent(event);
      if (change !== undefined) emit(change);
    }
  });
  response.once("close", end);
  response.once("error", end);
  return {
    get failure() {
      return failure;
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A comment, such as the heartbeat, is no change. */
function parseEvent(event: string): ShadowVersion | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(event)?.[1];
  const [kind, data] = [field("event"), field("data")];
  if (data === undefined || (kind !== "updated" && kind !== "deleted")) return undefined;
  const { id, name, version, state, delta } = JSON.parse(data) as Omit<ShadowVersion, "thing"> & {
    id: string;
  };
  return { thing: id, name, kind, version, state: state ?? {}, ...(delta !== undefined && { delta }) };
}
