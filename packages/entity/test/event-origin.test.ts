import { expect, test } from "vitest";
import { counter } from "./counter.ts";
import { eventsOf, openWorld } from "./entity-world.ts";

const add = { type: "add", amount: 1 } as const;

test("events are stored with the correlation, the causation and the metadata of their command", async () => {
  const { host, stores } = await openWorld([counter]);
  const counters = host.of(counter);
  await Promise.all([
    counters.ask("a", add),
    counters.ask("a", add, { commandId: "c-1" }),
    counters.ask("a", add, { correlationId: "request-1", metadata: { user: "ann" } }),
    counters.ask("a", { type: "addAll", amounts: [1, 2] }, { commandId: "c-2", causationId: "event-7" }),
  ]);
  const stored = await eventsOf(stores.journal, "counter|a");
  expect(
    stored.map(({ correlationId, causationId, metadata }) => [correlationId, causationId, metadata]),
  ).toEqual([
    [undefined, undefined, undefined],
    [undefined, "c-1", undefined],
    ["request-1", undefined, { user: "ann" }],
    [undefined, "event-7", undefined],
    [undefined, "event-7", undefined],
  ]);
  expect(new Set(stored.map(({ id }) => id)).size).toBe(5);
});

test.each([{ correlationId: "" }, { causationId: 7 }, { correlationId: "\ud800" }])(
  "%j is rejected, and nothing is written",
  async (options) => {
    const { host, stores } = await openWorld([counter]);
    await expect(host.of(counter).ask("a", add, options as object)).rejects.toMatchObject({
      code: "ENTITY_OPTION_INVALID",
      details: { option: Object.keys(options)[0] },
    });
    expect(await eventsOf(stores.journal, "counter|a")).toEqual([]);
  },
);

test.each([() => 1, "text", [1], { at: new Date(0) }, { total: Number.NaN }, new Map()])(
  "metadata that cannot be stored is the caller's mistake: %s",
  async (metadata) => {
    const { host, stores } = await openWorld([counter]);
    const counters = host.of(counter);
    await expect(counters.ask("a", add, { metadata: metadata as object as never })).rejects.toMatchObject({
      code: "ENTITY_OPTION_INVALID",
      kind: "invalid",
      details: { option: "metadata" },
    });
    expect(await counters.ask("a", add)).toMatchObject({ total: 1 });
    expect(await eventsOf(stores.journal, "counter|a")).toHaveLength(1);
  },
);
