/** Clients that send a lot and read nothing. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fakeClock } from "@tablekeep/testkit";
import { expect, onTestFinished, test } from "vitest";
import { rawClient } from "./smtp-client.ts";
import { startSmtp } from "./start-smtp.ts";

/** Sends so much that the responses exceed the buffers between the two. */
async function deafClient(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").pause();
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(`EHLO ${"x".repeat(4000)}\r\n`.repeat(5000));
  return socket;
}

test("a client is disconnected after the idle timeout, and a stop does not wait for it", async () => {
  const { port, listener, transcripts } = await startSmtp({ limits: { idleMs: 300 } });
  await deafClient(port);
  await expect.poll(() => transcripts.list()[0]?.ending).toBe("the client did not read its replies");
  // A stop that waits for the client lasts longer than the test may.
  await listener.stop(600_000);
});

test("a stop ends a client that the server still waits for", async () => {
  const { port, listener, transcripts } = await startSmtp();
  await deafClient(port);
  let before = -1;
  const isStuck = () => {
    const { lines = [], leftOut = 0 } = transcripts.list()[0] ?? {};
    const last = before;
    before = lines.length + leftOut;
    return before > 1 && before === last;
  };
  await expect.poll(isStuck, { interval: 200 }).toBe(true);
  await listener.stop(100);
  expect(transcripts.list()[0]?.ending).toBe("the server is stopping");
});

test("a client does not block others", async () => {
  const clock = fakeClock();
  const { url, port, transcripts } = await startSmtp({
    clock,
    limits: { sessions: 1, idleMs: Number.MAX_SAFE_INTEGER },
  });
  await deafClient(port);
  const knock = async () => {
    await clock.advance(10_000);
    return (await rawClient(url)).say("NOOP\r\n");
  };
  await expect.poll(knock).toBe("250 Ok\r\n");
  expect(transcripts.list().at(-1)?.ending).toBe("closed in favor of another session");
});
