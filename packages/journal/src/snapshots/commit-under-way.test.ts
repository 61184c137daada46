import { ensureTable } from "@tablekeep/client";
import { sleep, systemClock, type TransactWriteItem, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { census, noise, openSmall, table } from "../../test/snapshot-world.ts";
import { snapshotTableSpec } from "./snapshots.ts";

const transactionMs = 300;
/** When, after its begin, one of the two items of a commit is visible. */
const betweenMs = 200;

interface Story {
  /** DynamoDB promises no order in which the items of a transaction become visible. */
  readonly order: "head first" | "stage first";
  /** Whether a chunked snapshot of the same sequence number exists. */
  readonly replaces: boolean;
}

/** A collector is at work while a chunked save is committed. Tells what is there afterwards. */
async function collectWhileCommitting({ order, replaces }: Story) {
  const engine = await openEngine({ storage: { kind: "memory" }, behavior: { transactionMs } });
  await ensureTable(engine, snapshotTableSpec(table));
  let begin = () => {};
  const committing = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const port = wrapPort(engine, (operation, input, call, next) => {
    if (operation !== "TransactWriteItems") return next(operation, input, call);
    begin();
    const { TransactItems = [] } = input as { readonly TransactItems?: readonly TransactWriteItem[] };
    const actions = order === "head first" ? TransactItems : TransactItems.toReversed();
    return next(operation, { ...input, TransactItems: actions }, call);
  });
  const other = await openSmall(engine);
  if (replaces) await other.save("id", 7, noise(9_000));
  const saver = await openSmall(port);
  const state = noise(20_000);
  const saving = saver.save("id", 7, state);
  await committing;
  await sleep(systemClock, betweenMs);
  await other.collectGarbage("id");
  await saving;
  await saver.close();
  const left = await census(engine);
  const loaded = await other.load("id");
  await other.close();
  await engine.close();
  return { whole: Buffer.compare(loaded?.state as Uint8Array, state) === 0, left };
}

test.each([
  { order: "head first", replaces: false },
  { order: "stage first", replaces: false },
  { order: "head first", replaces: true },
  { order: "stage first", replaces: true },
] as const)(
  "a collector leaves a save alone whose commit is in flight ($order, replaces: $replaces)",
  async (story) => {
    const { whole, left } = await collectWhileCommitting(story);
    expect(whole).toBe(true);
    expect(left).toMatchObject({ heads: 1, stages: 1 });
  },
);
