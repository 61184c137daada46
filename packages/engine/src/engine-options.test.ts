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
  ["an unknown behavior", { storage: memory, behavior: { chaos: 1 } }, "behavior.chaos"],
  ["a negative time", { storage: memory, behavior: { indexLagMs: -1 } }, "behavior.indexLagMs"],
  ["a page without items", { storage: memory, behavior: { pageItems: 0 } }, "behavior.pageItems"],
  ["a descending range", { storage: memory, behavior: { pageItems: [3, 2] } }, "behavior.pageItems"],
  ["a range of three", { storage: memory, behavior: { pageItems: [1, 2, 3] } }, "behavior.pageItems"],
  ["rules that are not a list", { storage: memory, behavior: { throttling: {} } }, "behavior.throttling"],
  [
    "an unknown reason",
    { storage: memory, behavior: { throttling: [{}, { reason: "Tired" }] } },
    "behavior.throttling[1].reason",
  ],
  [
    "a probability above 1",
    { storage: memory, behavior: { throttling: [{ probability: 2 }] } },
    "behavior.throttling[0].probability",
  ],
  [
    "an unknown operation",
    { storage: memory, behavior: { throttling: [{ operations: ["Get"] }] } },
    "behavior.throttling[0].operations",
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
      behavior: { seed: undefined, throttling: undefined },
    });
    await engine.close();
  });
});
