import { Duplex } from "node:stream";
import { systemClock } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { smtpConnection } from "./smtp-connection.ts";

const much = "x".repeat(100_000);
const unread = "the client did not read what it was told";
const deafStream = () => new Duplex({ read() {}, write() {} });

test("every write to a client that does not read ends, even after an interrupt", async () => {
  const connection = smtpConnection(deafStream(), systemClock);
  await connection.write(much, 50);
  expect(connection.ended).toBe(unread);
  await connection.write("421 bye\r\n", 50);
  expect(connection.ended).toBe(unread);
});

test("a write that waits ends by an interrupt, whatever happened before", async () => {
  const connection = smtpConnection(deafStream(), fakeClock());
  const first = connection.write(much, 50);
  connection.interrupt("first");
  await first;
  const second = connection.write(much, 50);
  connection.interrupt("second");
  await second;
  expect(connection.ended).toBe("first");
});

test("a client that closed its own side is waited for, but by an interrupt no longer", async () => {
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
  connection.interrupt("the server stops");
  await written;
});

test("reports since when the client has not read", async () => {
  const clock = fakeClock();
  const takers: (() => void)[] = [];
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, taken) => void takers.push(taken) });
  const connection = smtpConnection(stream, clock);
  expect(connection.deafSince).toBeUndefined();
  const written = connection.write(much, 50);
  await clock.advance(20);
  expect(connection.deafSince).toBe(0);
  takers.pop()?.();
  await written;
  expect(connection).toMatchObject({ deafSince: undefined, ended: undefined });
});

test("a slow connection that breaks off is not written to the end", async () => {
  const stream = deafStream();
  const connection = smtpConnection(stream, fakeClock(), 1);
  const written = connection.write(much, 50);
  stream.destroy();
  await written;
  expect(connection.ended).toBe("the connection broke off");
});
