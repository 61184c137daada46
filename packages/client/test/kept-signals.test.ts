import { getEventListeners } from "node:events";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { batchGet, batchWrite, scanPages } from "../src/index.ts";

/** What a signal holds: listeners, and the signals that `AbortSignal.any` made of it, which Node 20 never removes. */
function heldBy(signal: AbortSignal): number {
  const dependants = Object.getOwnPropertySymbols(signal).find(({ description }) =>
    description?.includes("ependantSignals"),
  );
  const signals = dependants && (Reflect.get(signal, dependants) as { readonly size: number } | undefined);
  return getEventListeners(signal, "abort").length + (signals?.size ?? 0);
}

test("a signal that is used for many calls keeps no reference to them", async () => {
  await using port = await openEngine({ storage: { kind: "memory" } });
  await port.createTable({
    TableName: "things",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
  });
  const keys = Array.from({ length: 250 }, (_, at) => ({ id: { S: String(at) } }));
  const { signal } = new AbortController();
  await batchWrite(
    port,
    keys.map((put) => ({ table: "things", put })),
    { signal },
  );
  for (let round = 0; round < 5; round++) {
    const found = await batchGet(
      port,
      keys.map((key) => ({ table: "things", key })),
      { signal },
    );
    expect(found).toHaveLength(250);
    let scanned = 0;
    for await (const page of scanPages(port, { TableName: "things", Limit: 20 }, { segments: 4, signal }))
      scanned += page.Items?.length ?? 0;
    expect(scanned).toBe(250);
    // A consumer that stops early ends the requests in flight.
    for await (const _page of scanPages(port, { TableName: "things", Limit: 20 }, { segments: 4, signal }))
      break;
  }
  expect(heldBy(signal)).toBe(0);
});
