import type { Socket } from "node:net";

/**
 * All data until the connection ends, also if it is reset: a server that rejects a request does not read the rest
 * of it, and its response may then be lost.
 */
export function heard(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      said += String(chunk);
    });
    socket.once("close", () => resolve(said));
  });
}

/** The first data; "" if the connection ends before. */
export function firstHeard(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.on("error", () => {});
    socket.once("data", (chunk) => resolve(String(chunk)));
    socket.once("close", () => resolve(""));
  });
}
