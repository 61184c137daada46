import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import type { Clock } from "@tablekeep/core";

/** Shakes hands as the server; rejects if the client does not want to, or takes too long. */
export function startTls(
  socket: Socket,
  secureContext: SecureContext,
  timeoutMs: number,
  clock: Clock,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext });
    const cancel = clock.after(timeoutMs, () => settle(new Error("no handshake in time")));
    const settle = (error?: Error) => {
      cancel();
      for (const event of ["error", "_tlsError"]) secured.off(event, settle);
      socket.off("close", onClose);
      secured.off("secure", onSecure);
      if (error === undefined) return resolve(secured);
      // What else goes wrong with it interests nobody any more.
      secured.on("error", () => {});
      secured.destroy();
      socket.destroy();
      reject(error);
    };
    const onSecure = () => settle();
    const onClose = () => settle(new Error("the client closed the connection"));
    secured.on("error", settle);
    secured.on("_tlsError", settle);
    secured.on("secure", onSecure);
    socket.on("close", onClose);
  });
}
