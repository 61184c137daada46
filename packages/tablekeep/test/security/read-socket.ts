import type { Socket } from "node:net";

/**
 * All data until the connection ends, even if it is reset: a server that rejects a request does not read the rest
 * of it, and its response may then be lost.
 */
export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    socket.once("close", () => resolve(text));
  });
}

/** The first data; "" if the connection ends before. */
export function readFirst(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.on("error", () => {});
    socket.once("data", (chunk) => resolve(String(chunk)));
    socket.once("close", () => resolve(""));
  });
}
