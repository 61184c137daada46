import type { Socket } from "node:net";

/**
 * All that comes until the connection ends, also if it is reset: a server that refuses a request does not read the rest
 * of it, and what it said may then be lost on the way.
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

/** The first that comes; "" if the connection ends before. */
export function firstHeard(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.on("error", () => {});
    socket.once("data", (chunk) => resolve(String(chunk)));
    socket.once("close", () => resolve(""));
  });
}
