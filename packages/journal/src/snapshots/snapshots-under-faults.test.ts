import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { type Fault, fakeClock, faultyPort } from "@tablekeep/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { stateOf, textOf } from "../../test/snapshot-truth.ts";
import { failureOf, memoryLogger, noise, openSmall, table } from "../../test/snapshot-world.ts";

let port: DynamoPort;
beforeEach(async () => {
  port = await engineWithSnapshots(table);
  const snapshots = await openSmall(port);
  await snapshots.save("id", 5, "old");
});
afterEach(() => port.close());

const faulty = (...faults: Fault[]) => faultyPort(port, { seed: 1, faults });
const big = noise(150_000);

/** The error of a save of event 5 within 400 ms of a fake clock, which stands still during requests and packing. */
async function failureInTime(state: unknown, ...faults: Fault[]) {
  const clock = fakeClock();
  // The engine has another clock: it must not see the deadline.
  const timeless = wrapPort(port, (operation, input, _options, next) => next(operation, input, {}));
  const lost = faultyPort(timeless, { seed: 1, faults }, { clock });
  const busy = () => lost.busy() || clock.pending === 0;
  const snapshots = await openSmall(lost, { deadlineMs: 400, clock });
  return clock.autoAdvance(() => failureOf(snapshots.save("id", 5, state)), { busy });
}

describe("a save", () => {
  test.each<Fault>([
    { kind: "lost-after-apply", op: "PutItem", nth: 1 },
    { kind: "lost-before-apply", op: "PutItem", nth: 1 },
    { kind: "error-after-apply", op: "PutItem", nth: 1 },
    { kind: "throttle", op: "PutItem", nth: [1, 2] },
  ])("of one item is ok after %j", async (fault) => {
    const snapshots = await openSmall(faulty(fault));
    expect(await snapshots.save("id", 5, "new")).toMatchObject({ sequenceNr: 5 });
    expect(await stateOf(port, "id", 5)).toBe("new");
  });

  test.each<Fault>([
    { kind: "lost-after-apply", op: "TransactWriteItems", nth: 1 },
    { kind: "lost-before-apply", op: "TransactWriteItems", nth: 1 },
    { kind: "transaction-conflict", op: "TransactWriteItems", nth: [1, 2] },
    { kind: "unprocessed", op: "BatchWriteItem", share: 0.5, rounds: 2, nth: [1, 2] },
    { kind: "unprocessed", op: "BatchWriteItem", items: [0, 3], nth: 2 },
    { kind: "lost-after-apply", op: "BatchWriteItem", nth: 1 },
    { kind: "throttle", op: "BatchWriteItem", nth: [1, 2] },
  ])("of many items is ok after %j", async (fault) => {
    const snapshots = await openSmall(faulty(fault));
    await snapshots.save("id", 5, big);
    expect(await stateOf(port, "id", 5)).toBe(textOf(big));
  });

  test("of many items that never completes is certainly not saved", async () => {
    const refused = faulty({
      kind: "refuse",
      exception: "AccessDeniedException",
      op: "BatchWriteItem",
      nth: 2,
    });
    const failure = await failureOf((await openSmall(refused)).save("id", 5, big));
    expect(failure).toMatchObject({ code: "JOURNAL_SNAPSHOT_NOT_SAVED", ambiguous: false });
    expect(await stateOf(port, "id", 5)).toBe("old");
  });

  test("whose commit gets no response is reported as possibly saved", async () => {
    const failure = await failureInTime(
      big,
      { kind: "lost-after-apply", op: "TransactWriteItems" },
      { kind: "unreachable", op: "BatchGetItem" },
    );
    expect(failure).toMatchObject({ code: "JOURNAL_SNAPSHOT_UNKNOWN", ambiguous: true });
    expect(await stateOf(port, "id", 5)).toBe(textOf(big));
  });

  test("whose put gets no response is reported as possibly saved", async () => {
    const failure = await failureInTime(
      "new",
      { kind: "lost-before-apply", op: "PutItem" },
      { kind: "unreachable", op: "GetItem" },
    );
    expect(failure.ambiguous).toBe(true);
    expect(await stateOf(port, "id", 5)).toBe("old");
  });

  test("that fails never deletes the snapshot of the same sequence number", async () => {
    const requests: string[] = [];
    for (const fault of [
      { kind: "refuse", exception: "AccessDeniedException", op: "PutItem" },
      { kind: "refuse", exception: "AccessDeniedException", op: "TransactWriteItems" },
    ] as const) {
      const refused = faulty(fault);
      for (const state of ["new", big]) {
        await (await openSmall(refused)).save("id", 5, state).catch(() => {});
      }
      requests.push(...["DeleteItem" as const].filter((operation) => refused.requestCount(operation) > 0));
    }
    expect(requests).toEqual([]);
    const found = await stateOf(port, "id", 5);
    expect(["old", "new"]).toContain(found);
  });

  test("is ended by the caller's signal", async () => {
    const slow = faulty({ kind: "hang" });
    const stop = new AbortController();
    const snapshots = await openSmall(slow);
    const saving = [
      snapshots.save("id", 5, "new", { signal: stop.signal }),
      snapshots.save("id", 6, big, { signal: stop.signal }),
    ];
    stop.abort();
    const codes = await Promise.all(saving.map(async (each) => (await failureOf(each)).code));
    expect(codes).toEqual(["CLIENT_ABORTED", "JOURNAL_SNAPSHOT_NOT_SAVED"]);
  });
});

describe("a load", () => {
  test("fails if DynamoDB fails, whatever is to be done with unreadable ones", async () => {
    await (await openSmall(port)).save("id", 6, big);
    for (const op of ["Query", "BatchGetItem"] as const) {
      const denied = faulty({ kind: "refuse", exception: "AccessDeniedException", op });
      const snapshots = await openSmall(denied, { onUnreadable: "replay-all" });
      expect((await failureOf(snapshots.load("id"))).code).toBe("DYNAMO_ACCESS_DENIED");
    }
  });

  test("is complete when pages are cut, empty or unprocessed", async () => {
    await (await openSmall(port)).save("id", 6, big);
    const cut = faulty(
      { kind: "page-cut", items: 0, op: "Query", nth: [1, 3] },
      { kind: "unprocessed", op: "BatchGetItem", share: 0.7, nth: [1, 3] },
    );
    const found = await (await openSmall(cut)).load("id", { maxTimestamp: Number.MAX_SAFE_INTEGER - 1 });
    expect(textOf(found?.state)).toBe(textOf(big));
  });
});

describe("a deletion by criteria", () => {
  test.each<Fault>([
    { kind: "page-cut", items: 1, op: "Query" },
    { kind: "page-cut", items: 0, op: "Query", nth: [1, 2] },
    { kind: "unprocessed", op: "BatchWriteItem", share: 0.5, nth: 1 },
    { kind: "lost-after-apply", op: "BatchWriteItem", nth: 1 },
    { kind: "lost-after-apply", op: "DeleteItem", nth: 1 },
  ])("leaves nothing behind after %j", async (fault) => {
    const own = await openSmall(port);
    for (let number = 1; number <= 30; number++) await own.save("id", number, "state");
    const snapshots = await openSmall(faulty(fault));
    await snapshots.deleteMany("id", { minSequenceNr: 2, maxSequenceNr: 15 });
    await snapshots.deleteMany("id", {
      minSequenceNr: 16,
      maxSequenceNr: 29,
      maxTimestamp: Date.now() + 1_000,
    });
    const left = [];
    for await (const { sequenceNr } of own.list("id")) left.push(sequenceNr);
    expect(left).toEqual([1, 30]);
  });
});

test("cleaning that fails is logged and harms no save", async () => {
  const logger = memoryLogger();
  const broken = faulty({ kind: "refuse", exception: "AccessDeniedException", op: "Query" });
  const snapshots = await openSmall(broken, { keep: 1, logger });
  await snapshots.save("id", 6, "newer");
  await snapshots.close();
  expect(logger.lines).toEqual([expect.stringContaining("DYNAMO_ACCESS_DENIED")]);
  expect(await stateOf(port, "id", 6)).toBe("newer");
});
