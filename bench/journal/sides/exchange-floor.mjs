import { once } from "node:events";
import { connect } from "node:net";

/** Where the body of an HTTP message ends; infinite if its head is not complete. */
export function bodyEnd(bytes) {
  const head = bytes.indexOf("\r\n\r\n");
  if (head === -1) return Number.POSITIVE_INFINITY;
  const [, length] = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, head));
  return head + 4 + Number(length);
}

/**
 * The floor of a single append over HTTP: a request of the same size, sent as bytes on one connection, answered after one flush. Nothing
 * is signed, encoded, checked or stored in order. No client and no server on these processes and this disk can be faster.
 */
export async function exchangeFloor(endpoint, { payload }) {
  const { hostname, port } = new URL(endpoint);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  const body = Buffer.from(JSON.stringify({ Item: payload }));
  const head = `POST / HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${body.length}\r\n\r\n`;
  const request = Buffer.concat([Buffer.from(head), body]);
  let received = Buffer.alloc(0);
  let answered = () => {};
  socket.on("data", (bytes) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    if (received.length < bodyEnd(received)) return;
    received = Buffer.alloc(0);
    answered();
  });
  const exchange = () =>
    new Promise((resolve) => {
      answered = resolve;
      socket.write(request);
    });
  return { exchange, close: () => socket.destroy() };
}
