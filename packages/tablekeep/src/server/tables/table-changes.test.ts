import { systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { committedChanges } from "./table-changes.ts";

test("a client that does not read misses changes, learns how many, and gets later ones", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await engine.createTable({
    TableName: "things",
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  });
  const put = (id: string, text = "") =>
    engine.putItem({ TableName: "things", Item: { id: { S: id }, text: { S: text } } });
  const life = new AbortController();
  const changes = committedChanges(engine, "things", { clock: systemClock, signal: life.signal });
  const first = changes.next();
  await put("first");
  expect((await first).value).toHaveProperty("json", expect.stringContaining('"first"'));
  const large = "x".repeat(300_000);
  for (let at = 0; at < 20; at++) await put(`large-${at}`, large);
  let read = 0;
  let missed = 0;
  while (missed === 0) {
    const { value } = await changes.next();
    if (value !== undefined && "missed" in value) missed = value.missed;
    else read++;
  }
  expect(read).toBeLessThan(12);
  expect(read + missed).toBe(20);
  const last = changes.next();
  await put("last");
  expect((await last).value).toHaveProperty("json", expect.stringContaining('"last"'));
  const end = changes.next();
  life.abort();
  expect((await end).done).toBe(true);
});
