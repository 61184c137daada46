import { servedPath } from "../api/call-api.ts";
import type { SandboxRequest } from "./fold-worker.ts";

/** A sandbox was stopped, or rejected the typed code. */
export class SandboxError extends Error {}

/** Runs code of the user without access to the page, its origin or the network. */
export interface Sandbox {
  readonly isClosed: boolean;
  /** Sends a request. A request that takes too long ends the sandbox. */
  send<Result>(request: Unnumbered<SandboxRequest>): Promise<Result>;
  close(): void;
}

type Unnumbered<Request> = Request extends unknown ? Omit<Request, "id"> : never;

/** Milliseconds until the frame and its worker must have started. */
const startMs = 30_000;
/** Milliseconds for one request. */
const runMs = 3_000;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Opens a sandbox: a frame without an origin, in which a worker runs the code. The page stays responsive whatever the code does,
 * and removing the frame ends it. Its output is data: text and numbers, which are checked before they are shown.
 */
export function openSandbox(): Sandbox {
  const frame = document.createElement("iframe");
  const { port1: port, port2: theirs } = new MessageChannel();
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isClosed = false;
  const close = (error = new SandboxError("the sandbox was closed")) => {
    isClosed = true;
    port.close();
    frame.remove();
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    waiting.clear();
  };
  const wait = (id: number, limitMs: number) =>
    new Promise<unknown>((resolve, reject) => {
      const late = () => close(new SandboxError(`stopped: the fold ran for more than ${limitMs / 1000} s`));
      waiting.set(id, { resolve, reject, timer: setTimeout(late, limitMs) });
    });
  port.onmessage = ({ data }: MessageEvent) => {
    const { id, result, failure } = (data ?? {}) as { id?: number; result?: unknown; failure?: unknown };
    const request = waiting.get(id ?? -1);
    // The worker answers each request once; anything else is the typed code, which may send without end.
    if (request === undefined) return close(new SandboxError("stopped: the fold sent its own messages"));
    waiting.delete(id ?? -1);
    clearTimeout(request.timer);
    if (typeof failure === "string") request.reject(new SandboxError(failure.slice(0, 1_000)));
    else request.resolve(result);
  };
  const started = wait(0, startMs);
  // Each request waits for it, too, and reports its failure.
  started.catch(() => {});
  frame.sandbox.add("allow-scripts");
  frame.hidden = true;
  frame.title = "Sandbox for folds";
  frame.src = servedPath("/assets/sandbox.html");
  frame.onload = () => frame.contentWindow?.postMessage({}, "*", [theirs]);
  document.body.append(frame);
  return {
    get isClosed() {
      return isClosed;
    },
    close,
    async send<Result>(request: Unnumbered<SandboxRequest>) {
      await started;
      if (isClosed) throw new SandboxError("the sandbox was closed");
      const id = ++lastId;
      const answer = wait(id, runMs);
      port.postMessage({ ...request, id });
      return (await answer) as Result;
    },
  };
}
