import { Duplex } from "node:stream";
import { systemClock } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { smtpConnection } from "./smtp-connection.ts";

const much = "x".repeat(100_000);
const unread = "the client did not read its replies";
const deafStream = () => new Duplex({ read() {}, write() {} });

test("every write to a client that does not read ends, even after an interrupt", async () => {
  const connection = smtpConnection(deafStream(), systemClock);
  await connection.write(much, 50);
  expect(connection.ended).toBe(unread);
  await connection.write("421 bye\r\n", 50);
  expect(connection.ended).toBe(unread);
});

test("an interrupt ends a waiting write", async () => {
  const connection = smtpConnection(deafStream(), fakeClock());
  const first = connection.write(much, 50);
  connection.interrupt("first");
  await first;
  const second = connection.write(much, 50);
  connection.interrupt("second");
  await second;
  expect(connection.ended).toBe("first");
});

test("waits for a client that closed only its own side, until an interrupt", async () => {
  const stream = deafStream();
  const connection = smtpConnection(stream, fakeClock());
  stream.push(null);
  expect(await connection.read(50)).toBeUndefined();
  let over = false;
  const written = connection.write(much, 50).then(() => {
    over = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(over).toBe(false);
  connection.interrupt("the server is stopping");
  await written;
});

test("reports since when a write is blocked", async () => {
  const clock = fakeClock();
  const takers: (() => void)[] = [];
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, taken) => void takers.push(taken) });
  const connection = smtpConnection(stream, clock);
  expect(connection.blockedSince).toBeUndefined();
  const written = connection.write(much, 50);
  await clock.advance(20);
  expect(connection.blockedSince).toBe(0);
  takers.pop()?.();
  await written;
  expect(connection).toMatchObject({ blockedSince: undefined, ended: undefined });
});

test("stops writing to a slow connection that breaks off", async () => {
  const stream = deafStream();
  const connection = smtpConnection(stream, fakeClock(), 1);
  const written = connection.write(much, 50);
  stream.destroy();
  await written;
  expect(connection.ended).toBe("the connection broke off");
});
