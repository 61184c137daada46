import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";

/** A client that sends exactly the given bytes. */
export interface RawClient {
  readonly socket: Socket;
  /** Sends bytes and waits for `replies` whole replies to them. */
  say(bytes: string | Buffer, replies?: number): Promise<string>;
  send(bytes: string | Buffer): void;
  /** Everything up to the close of the connection. */
  rest(): Promise<string>;
  /** Continues with TLS. */
  secure(): Promise<RawClient>;
}

/** Connects to `smtp://host:port` and reads the greeting. */
export async function rawClient(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname });
  const client = clientOn(socket);
  await client.say("", 1);
  return client;
}

export async function rawTlsClient(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connectTls({ port: Number(port), host: hostname, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const client = clientOn(socket);
  await client.say("", 1);
  return client;
}

function clientOn(socket: Socket | TLSSocket): RawClient {
  let heard = "";
  let wake = () => {};
  let closed = false;
  const onData = (chunk: Buffer) => {
    heard += chunk.toString("latin1");
    wake();
  };
  socket.on("data", onData);
  socket.on("error", () => {});
  for (const event of ["close", "end"]) {
    socket.on(event, () => {
      closed = true;
      wake();
    });
  }
  const until = async (enough: () => boolean) => {
    while (!enough() && !closed) await new Promise<void>((resolve) => (wake = resolve));
    const all = heard;
    heard = "";
    return all;
  };
  const countReplies = () => heard.match(/^\d{3} .*\r\n/gm)?.length ?? 0;
  return {
    socket,
    say(bytes, replies = 1) {
      if (bytes.length > 0) socket.write(bytes);
      return until(() => countReplies() >= replies);
    },
    send: (bytes) => void socket.write(bytes),
    rest: () => until(() => false),
    async secure() {
      socket.off("data", onData);
      const secured = connectTls({ socket, rejectUnauthorized: false });
      await once(secured, "secureConnect");
      return clientOn(secured);
    },
  };
}
