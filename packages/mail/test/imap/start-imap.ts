import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { silentLogger, systemClock } from "@tablekeep/core";
import { onTestFinished } from "vitest";
import { type ImapServerOptions, imapServer } from "../../src/imap/index.ts";
import type { Mail } from "../../src/index.ts";
import { mailOnEngine } from "../engine-mail.ts";

/** A server on a free port, with an empty store, that stops with the test. */
export async function startImap(
  options: Partial<ImapServerOptions> = {},
): Promise<{ port: number; mail: Mail }> {
  const { mail, port: table } = await mailOnEngine();
  const { server, stop } = imapServer({ mail, clock: systemClock, logger: silentLogger, ...options });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    await stop();
    await mail.close();
    await table.close();
  });
  return { port: (server.address() as AddressInfo).port, mail };
}

/** A client that sends given lines and collects what it receives. */
export interface RawImap {
  readonly socket: Socket;
  send(text: string | Buffer): void;
  /** Everything up to the first match, which is removed from what was received. */
  until(end: RegExp): Promise<string>;
  /** Sends a command with a tag, and returns everything up to its answer. */
  command(text: string): Promise<string>;
}

export async function rawImap(port: number): Promise<RawImap> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  onTestFinished(() => void socket.destroy());
  let received = "";
  let wake = () => {};
  let ended = false;
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    ended = true;
    wake();
  });
  const until = async (end: RegExp) => {
    for (;;) {
      const found = end.exec(received);
      if (found !== null) {
        const text = received.slice(0, found.index + found[0].length);
        received = received.slice(text.length);
        return text;
      }
      if (ended) return received;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  let tags = 0;
  return {
    socket,
    send: (text) => void socket.write(text),
    until,
    command(text) {
      const tag = `t${++tags}`;
      socket.write(`${tag} ${text}\r\n`);
      return until(new RegExp(`^${tag} (?:OK|NO|BAD)[^\\r]*\\r\\n`, "m"));
    },
  };
}

/** Stores messages with these bytes. */
export async function storeAll(mail: Mail, messages: readonly (string | Buffer)[]): Promise<string[]> {
  const ids: string[] = [];
  for (const raw of messages) {
    const { id } = await mail.store(
      { from: "ann@example.org", to: ["ben@example.org"], helo: "h" },
      Buffer.from(raw as string),
    );
    ids.push(id);
  }
  return ids;
}
