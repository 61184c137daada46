import { mkdirSync } from "node:fs";
import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, type OutputOf, silentLogger, wrapPort } from "@tablekeep/core";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EntityFolds, openEntityFolds } from "../../src/server/entity-folds/entity-folds.ts";
import { bundleModule } from "../entities/bundle-module.ts";
import { tempFolder } from "../temp-folder.ts";
import { type StormyDynamo, stormyDynamo } from "./stormy-dynamo.ts";

/** A layout whose events are read in batches: what DynamoDB leaves unprocessed is requested again on top of the port. */
const options = { table: "events", layout: "scattered" } as const;
const folder = tempFolder();
let dynamo: StormyDynamo;
let path: string;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  path = await bundleModule(folder);
  dynamo = await stormyDynamo();
  const port = dynamo.port();
  await ensureTable(port, journalTableSpec(options));
  const journal = await openJournal(port, options);
  const event = { payload: { type: "deposited", cents: 5 }, manifest: "deposited@2" };
  unwrap(await journal.append("account|ann", event));
});
afterAll(() => dynamo?.[Symbol.asyncDispose]());

/** Leaves all batches unprocessed, and counts how often each is requested again. */
function unprocessed(port: DynamoPort): { readonly port: DynamoPort; again(): readonly number[] } {
  const requests = new Map<string, number>();
  const wrapped = wrapPort(port, async (operation, input, call, next) => {
    if (operation !== "BatchGetItem") return next(operation, input, call);
    const { RequestItems } = input as { readonly RequestItems: object };
    const batch = JSON.stringify(RequestItems);
    requests.set(batch, (requests.get(batch) ?? -1) + 1);
    return { Responses: {}, UnprocessedKeys: RequestItems } as OutputOf<typeof operation>;
  });
  return { port: wrapped, again: () => [...requests.values()] };
}

async function withFolds(port: DynamoPort, work: (folds: EntityFolds) => Promise<void>): Promise<void> {
  const folds = await openEntityFolds({ path, port, clock: fakeClock(), logger: silentLogger });
  try {
    await work(folds);
  } finally {
    await folds.close();
  }
}

const stateOf = (folds: EntityFolds) =>
  folds.stateOf(
    { journal: options, snapshotTable: undefined, persistenceId: "account|ann", sequenceNr: undefined },
    new AbortController().signal,
  );

test("a state that is rebuilt in a thread has the attempts of the port, and not more", async () => {
  const { port, again } = unprocessed(dynamo.port({ maxAttempts: 2 }));
  await withFolds(port, async (folds) => {
    await expect(stateOf(folds)).rejects.toMatchObject({ code: expect.any(String) });
    expect(Math.max(...again())).toBe(1);
  });
});

test("it retries on the budget of the port, as far as that goes", async () => {
  const limited = dynamo.port({ retryBudget: 8 });
  const { port, again } = unprocessed(limited);
  await withFolds(port, async (folds) => {
    await expect(stateOf(folds)).rejects.toMatchObject({ code: expect.any(String) });
    expect(again().reduce((sum, times) => sum + times)).toBe(1);
    expect(limited.retryLimits?.spend(5)).toBe(false);
  });
});

test("it returns what it did not use of the budget", async () => {
  const port = dynamo.port({ retryBudget: 60 });
  await withFolds(port, async (folds) => {
    expect(await stateOf(folds)).toMatchObject({ sequenceNr: 1 });
    expect(port.retryLimits?.spend(60)).toBe(true);
  });
});
