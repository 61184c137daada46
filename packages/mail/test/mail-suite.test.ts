import { openEngine } from "@tablekeep/engine";
import { register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mailCases, mailSuite } from "../src/testing/index.ts";
import { suiteOn, suiteStores } from "./mail-suite-on.ts";

describe.each([
  ...suiteStores,
  ["sharded, one shard", { layout: "sharded", shards: 1 }],
  ["mhdynamo, by hours", { layout: "mhdynamo", partitionBy: "hour" }],
] as const)("the mail suite in memory, %s", (_name, options) => {
  const open = () => openEngine({ storage: { kind: "memory" } });
  register(suiteOn(open, options, "mail"), { test, beforeAll, afterAll });
});

describe("the cases of the mail suite", () => {
  test("have unique names", () => {
    const names = mailCases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("are skipped if the store does not support them", () => {
    const open = () => Promise.reject(new Error("not opened here"));
    const openWithFaults = open;
    const all = mailSuite({ open, openWithFaults }).cases.length;
    const fewer = mailSuite({ open, abilities: { largeMessages: false } }).cases.length;
    expect(fewer).toBe(all - mailCases.filter(({ needs }) => needs !== undefined).length);
    expect(fewer).toBeLessThan(all);
  });
});
