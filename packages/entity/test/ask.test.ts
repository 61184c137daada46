import { describe, expect, test } from "vitest";
import { isEntityError } from "../src/index.ts";
import { counter } from "./counter.ts";
import { eventsOf, openWorld } from "./entity-world.ts";

describe("ask", () => {
  test("replies after the events are stored, and the next command sees them", async () => {
    const { host, stores } = await openWorld([counter]);
    const counters = host.of(counter);
    expect(await counters.ask("a", { type: "add", amount: 2 })).toMatchObject({ total: 2 });
    expect(await counters.ask("a", { type: "add", amount: 3 })).toMatchObject({ total: 5 });
    expect((await eventsOf(stores.journal, "counter|a")).map(({ payload }) => payload)).toMatchObject([
      { type: "added", amount: 2 },
      { type: "added", amount: 3 },
    ]);
    expect(await counters.ask("a", { type: "get" })).toEqual({ total: 5, events: 2 });
    expect(await counters.ask("b", { type: "get" })).toEqual({ total: 0, events: 0 });
    await host.close();
  });

  test("recovers on another host", async () => {
    const { host, port } = await openWorld([counter]);
    await host.of(counter).ask("a", { type: "add", amount: 2 });
    await host.close();
    const second = await openWorld([counter], { port });
    expect(await second.host.of(counter).ask("a", { type: "get" })).toEqual({ total: 2, events: 1 });
  });

  test("writes commands of the same tick together, and answers them in order", async () => {
    const { host, stores } = await openWorld([counter]);
    const order: number[] = [];
    const replies = await Promise.all(
      Array.from({ length: 120 }, async (_unused, at) => {
        const reply = await host.of(counter).ask("a", { type: "add", amount: 1 });
        order.push(at);
        return reply;
      }),
    );
    expect(replies.map((reply) => reply?.total)).toEqual(
      Array.from({ length: 120 }, (_unused, at) => at + 1),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const stored = await eventsOf(stores.journal, "counter|a");
    expect(stored.map(({ sequenceNr }) => sequenceNr)).toEqual(
      Array.from({ length: 120 }, (_u, at) => at + 1),
    );
  });

  test("reports the reason of a refusal, and writes nothing", async () => {
    const { host, stores } = await openWorld([counter]);
    const error = await host
      .of(counter)
      .ask("a", { type: "add", amount: -1 })
      .catch((thrown: unknown) => thrown);
    expect(isEntityError(error, "ENTITY_COMMAND_REFUSED") && error.details).toEqual({
      entity: "counter",
      id: "a",
      command: "add",
      reason: "negative",
      facts: { amount: -1 },
    });
    expect(await eventsOf(stores.journal, "counter|a")).toEqual([]);
  });
});
