import { wrapPort } from "@tablekeep/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { counter } from "./counter.ts";
import { engineForEntities, openWorld } from "./entity-world.ts";

const badId = fc.oneof(
  fc.constantFrom<unknown>("", undefined, null, 5, {}, "s\ud800", "\udc00s", "s\ud801x"),
  fc.integer({ min: 2_049, max: 4_000 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 700, max: 900 }).map((length) => "€".repeat(length)),
);
const badNumber = fc.oneof(
  fc.constantFrom<unknown>(Number.NaN, -1, 2 ** 53, "3", null),
  fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
);
const badOption = fc.constantFrom<object>(
  { form: 3 },
  { deadlineMs: "soon" },
  { deadlineMs: Number.NaN },
  { signal: {} },
  null as never,
);
const command = { type: "get" } as const;

test("every call rejects invalid ids, limits and options, and writes nothing", async () => {
  const engine = await engineForEntities();
  const writes: string[] = [];
  const port = wrapPort(engine, (operation, input, options, next) => {
    if (/Put|Update|Delete|Write/.test(operation)) writes.push(operation);
    return next(operation, input, options);
  });
  const { host } = await openWorld([counter], { port });
  const entities = host.of(counter);
  writes.length = 0;
  const calls: Record<keyof typeof entities, (id: string, options: object) => Promise<unknown>> = {
    ask: (id, options) => entities.ask(id, command, options),
    read: (id, options) => entities.read(id, options),
    stateAt: (id, options) => entities.stateAt(id, { sequenceNr: 1 }, options),
    deleteEvents: (id, options) => entities.deleteEvents(id, 1, options),
    forget: (id, options) => entities.forget(id, options),
  };
  expect(Object.keys(calls).sort()).toEqual(Object.keys(entities).sort());
  const invalid = { code: "ENTITY_OPTION_INVALID", retryable: false };
  const refuses = async (call: Promise<unknown>) => {
    await expect(call).rejects.toMatchObject(invalid);
    expect(writes).toEqual([]);
  };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(calls)),
      badId,
      badNumber,
      badOption,
      async (call, id, number, option) => {
        const bad = number as number;
        await refuses(call(id as string, {}));
        await refuses(call("a", option));
        for (const bound of ["toSequenceNr", "toTimestamp", "maxEvents"])
          await refuses(entities.read("a", { [bound]: bad }));
        for (const bound of ["minSequenceNr", "maxSequenceNr", "minTimestamp", "maxTimestamp", "newest"])
          await refuses(entities.read("a", { snapshot: { [bound]: bad } }));
        for (const moment of [{ sequenceNr: bad }, { timestamp: bad }, { sequenceNr: 1, at: 2 }] as never[])
          await refuses(entities.stateAt("a", moment));
        // Without a command id an ask is fine.
        if (id !== undefined) await refuses(entities.ask("a", command, { commandId: id as string }));
        await expect(entities.deleteEvents("a", bad)).rejects.toMatchObject({
          code: "ENTITY_DELETE_REFUSED",
        });
      },
    ),
    { numRuns: 60 },
  );
});
