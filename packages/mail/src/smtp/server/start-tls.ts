import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import type { Clock } from "@tablekeep/core";

/** What a handshake needs beside its socket. */
export interface HandshakeOptions {
  readonly secureContext: SecureContext;
  /** Milliseconds that the client has. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** Performs the server's side of the handshake; rejects if it fails or takes too long. */
export function startTls(socket: Socket, options: HandshakeOptions): Promise<TLSSocket> {
  const { secureContext, timeoutMs, clock, signal } = options;
  return new Promise((resolve, reject) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext });
    // The session handles errors after the handshake; this ignores those after a failed one.
    secured.on("error", () => {});
    const settle = (error?: Error) => {
      cancel();
      signal.removeEventListener("abort", onAbort);
      for (const [event, listener] of listeners) secured.off(event, listener);
      if (error === undefined) return resolve(secured);
      secured.destroy();
      socket.destroy();
      reject(error);
    };
    const onAbort = () => settle(new Error("the server is stopping"));
    const onClose = () => settle(new Error("the client closed the connection"));
    const listeners = [
      ["secure", () => settle()],
      ["error", settle],
      ["_tlsError", settle],
      ["end", onClose],
      ["close", onClose],
    ] as const;
    for (const [event, listener] of listeners) secured.on(event, listener);
    const cancel = clock.after(timeoutMs, () => settle(new Error("no handshake in time")));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
