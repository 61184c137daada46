import type { GroupedEvent } from "@castore/core";
import { dispatchTo, wrapPort } from "@tablekeep/core";
import { openJournal } from "@tablekeep/journal";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { CastoreAdapterError, TablekeepEventStorageAdapter } from "../src/index.ts";
import { engineAdapter } from "./engine-adapter.ts";

const context = { eventStoreId: "carts" };
const timestamp = "2024-05-06T07:08:09.010Z";
const added = (aggregateId: string, version: number) => ({ aggregateId, version, type: "ADDED", timestamp });

describe("what a journal cannot do is an error", () => {
  test("a version that leaves a gap", async () => {
    const { adapter } = await engineAdapter();
    await expect(adapter.pushEvent(added("a", 2), context)).rejects.toMatchObject({
      code: "CASTORE_VERSION_GAP",
      details: { ...context, aggregateId: "a", version: 2, highest: 0 },
    });
  });

  test("force on a version that exists; on the next one it changes nothing", async () => {
    const { adapter } = await engineAdapter();
    const force = { ...context, force: true };
    await adapter.pushEvent(added("a", 1), force);
    await expect(adapter.pushEvent({ ...added("a", 1), type: "OTHER" }, force)).rejects.toMatchObject({
      code: "CASTORE_FORCE_UNSUPPORTED",
    });
    expect((await adapter.getEvents("a", context)).events).toEqual([added("a", 1)]);
  });

  test("a group of two aggregates, of two event stores, of two journals, or with a gap", async () => {
    const { adapter, port } = await engineAdapter();
    const other = new TablekeepEventStorageAdapter(await openJournal(port));
    const grouped = (event: ReturnType<typeof added>, from = adapter, eventStoreId = "carts"): GroupedEvent =>
      Object.assign(from.groupEvent(event), { context: { eventStoreId } });
    const groups: [GroupedEvent, ...GroupedEvent[]][] = [
      [grouped(added("a", 1)), grouped(added("b", 1))],
      [grouped(added("a", 1)), grouped(added("a", 2), adapter, "others")],
      [grouped(added("a", 1)), grouped(added("a", 2), other)],
      [grouped(added("a", 1)), grouped(added("a", 3))],
    ];
    for (const group of groups)
      await expect(adapter.pushEventGroup({}, ...group)).rejects.toMatchObject({
        code: "CASTORE_GROUP_UNSUPPORTED",
      });
    expect((await adapter.listAggregateIds(context)).aggregateIds).toEqual([]);
  });
});

test("a push whose outcome is unknown is an ambiguous error, and not one that a command repeats", async () => {
  const { port, adapter } = await engineAdapter({ layout: "packed" });
  await adapter.pushEvent(added("a", 1), context);
  const clock = fakeClock();
  let isPut = false;
  const lost = faultyPort(port, "seed=1 faults=[{op:PutItem,kind:lost-after-apply}]");
  const deaf = faultyPort(port, "seed=1 faults=[{kind:unreachable}]");
  const failingPort = wrapPort(port, (operation, input, call) => {
    if (operation === "PutItem") isPut = true;
    return dispatchTo(operation === "PutItem" ? lost : isPut ? deaf : port)(operation, input, call);
  });
  const journal = await openJournal(failingPort, { layout: "packed", clock });
  const failing = new TablekeepEventStorageAdapter(journal);
  const error = await clock.autoAdvance(() =>
    failing.pushEvent(added("a", 2), context).catch((thrown: unknown) => thrown),
  );
  expect(error).toMatchObject({
    code: "CASTORE_OUTCOME_UNKNOWN",
    ambiguous: true,
    details: { ...context, aggregateId: "a", version: 2 },
    cause: { code: "JOURNAL_OUTCOME_UNKNOWN" },
  });
  // It was stored after all, and a push of the same version finds that out.
  await expect(adapter.pushEvent(added("a", 2), context)).rejects.toMatchObject({
    code: "EventAlreadyExistsError",
  });
});

describe("wrong input", () => {
  test.each([undefined, null, "events", {}, { port: {} }])("%j is not a journal", (source) => {
    expect(() => new TablekeepEventStorageAdapter(source as never)).toThrow(
      expect.objectContaining({
        code: "CASTORE_OPTION_INVALID",
        details: expect.objectContaining({ option: "port" }),
      }),
    );
  });

  test("is rejected with the option's name", async () => {
    const { adapter, journal } = await engineAdapter();
    const invalid = (option: string) => ({ code: "CASTORE_OPTION_INVALID", details: { option } });
    for (const [option, value] of [
      ["minVersion", 1.5],
      ["maxVersion", "2"],
      ["limit", 0],
      ["reverse", 1],
      ["max", 3],
    ] as const)
      await expect(adapter.getEvents("a", context, { [option]: value })).rejects.toMatchObject(
        invalid(option),
      );
    await expect(adapter.listAggregateIds(context, { limit: 0 })).rejects.toMatchObject(invalid("limit"));
    for (const pageToken of [
      "nothing",
      "null",
      "{}",
      '{"lastEvaluatedKey":{"aggregateId":1}}',
      '{"limit":-1}',
    ])
      await expect(adapter.listAggregateIds(context, { pageToken })).rejects.toMatchObject(
        invalid("pageToken"),
      );
    for (const version of [0, -1, 1.5, Number.NaN])
      await expect(adapter.pushEvent(added("a", version), context)).rejects.toMatchObject(invalid("version"));
    for (const [option, event] of [
      ["event", null],
      ["type", { ...added("a", 1), type: undefined }],
      ["timestamp", { ...added("a", 1), timestamp: new Date(0) }],
    ] as const) {
      await expect(adapter.pushEvent(event as never, context)).rejects.toMatchObject(invalid(option));
      const grouped = { event, context, eventStorageAdapter: adapter } as never;
      await expect(adapter.pushEventGroup({}, grouped)).rejects.toMatchObject(invalid(option));
    }
    await expect(adapter.pushEvent(added("a", 1), undefined as never)).rejects.toMatchObject(
      invalid("eventStoreId"),
    );
    await expect(adapter.getEvents("", context)).rejects.toMatchObject(invalid("aggregateId"));
    for (const eventStoreId of ["", "a#b"])
      await expect(adapter.getEvents("a", { eventStoreId })).rejects.toMatchObject(invalid("eventStoreId"));
    expect(() => new TablekeepEventStorageAdapter(journal, { time: 1 } as never)).toThrow(
      expect.objectContaining({ code: "CASTORE_OPTION_INVALID" }),
    );
  });

  test("an event that cannot be stored throws the journal's error", async () => {
    const { adapter } = await engineAdapter();
    const event = { ...added("a", 1), payload: { at: new Date(0) } };
    await expect(adapter.pushEvent(event, context)).rejects.toMatchObject({
      code: "JOURNAL_PAYLOAD_REFUSED",
    });
  });
});

test("an error is named after its class, and its name can be assigned", () => {
  const error = new CastoreAdapterError("CASTORE_OPTION_INVALID", "no", { option: "a", reason: "b" });
  expect(String(error)).toBe("CastoreAdapterError: no");
  error.name = "Renamed";
  expect(error.name).toBe("Renamed");
});
