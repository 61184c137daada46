import { describe, expect, test } from "vitest";
import { openEngine } from "./engine.ts";

const memory = { kind: "memory" } as const;
const rejected: readonly (readonly [what: string, options: unknown, option: string])[] = [
  ["no options", undefined, "options"],
  ["a list", [], "options"],
  ["no storage", {}, "storage"],
  ["a storage that is not an object", { storage: "memory" }, "storage"],
  ["a storage without a kind", { storage: {} }, "storage"],
  ["a storage of an unknown kind", { storage: { kind: "disk" } }, "storage.kind"],
  ["a folder without a path", { storage: { kind: "folder" } }, "storage.path"],
  ["a folder with an empty path", { storage: { kind: "folder", path: "" } }, "storage.path"],
  [
    "a folder with an unknown option",
    { storage: { kind: "folder", path: "/tmp/x", sync: true } },
    "storage.sync",
  ],
  ["memory with a path", { storage: { kind: "memory", path: "/tmp/x" } }, "storage.path"],
  [
    "durable that is not a boolean",
    { storage: { kind: "folder", path: "/tmp/x", durable: 1 } },
    "storage.durable",
  ],
  ["an unknown option", { storage: memory, time: 1 }, "time"],
  ["a clock without a method", { storage: memory, clock: { now: () => 0 } }, "clock"],
  ["an empty region", { storage: memory, region: "" }, "region"],
  ["an invalid account", { storage: memory, accountId: "12" }, "accountId"],
  ["an unknown behaviour", { storage: memory, behaviour: { chaos: 1 } }, "behaviour.chaos"],
  ["a negative time", { storage: memory, behaviour: { indexLagMs: -1 } }, "behaviour.indexLagMs"],
  ["a page without items", { storage: memory, behaviour: { pageItems: 0 } }, "behaviour.pageItems"],
  ["a descending range", { storage: memory, behaviour: { pageItems: [3, 2] } }, "behaviour.pageItems"],
  ["a range of three", { storage: memory, behaviour: { pageItems: [1, 2, 3] } }, "behaviour.pageItems"],
  ["rules that are not a list", { storage: memory, behaviour: { throttling: {} } }, "behaviour.throttling"],
  [
    "an unknown reason",
    { storage: memory, behaviour: { throttling: [{}, { reason: "Tired" }] } },
    "behaviour.throttling[1].reason",
  ],
  [
    "a probability above 1",
    { storage: memory, behaviour: { throttling: [{ probability: 2 }] } },
    "behaviour.throttling[0].probability",
  ],
  [
    "an unknown operation",
    { storage: memory, behaviour: { throttling: [{ operations: ["Get"] }] } },
    "behaviour.throttling[0].operations",
  ],
];

describe("openEngine", () => {
  test.each(rejected)("rejects %s", async (_what, options, option) => {
    await expect(openEngine(options as never)).rejects.toMatchObject({
      code: "ENGINE_OPTION_INVALID",
      kind: "invalid",
      details: { option, reason: expect.any(String) },
    });
  });

  test("treats an undefined option as absent", async () => {
    const engine = await openEngine({
      storage: { kind: "memory" },
      clock: undefined,
      region: undefined,
      accountId: undefined,
      behaviour: { seed: undefined, throttling: undefined },
    });
    await engine.close();
  });
});
