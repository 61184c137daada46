import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "@tablekeep/engine";
import { register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { journalCases, journalSuite } from "../src/testing/index.ts";
import { suiteJournals, suiteOn } from "./journal-suite-on.ts";

describe.each(suiteJournals)("the journal suite in memory, %s", (_name, options) => {
  const open = () => openEngine({ storage: { kind: "memory" } });
  register(suiteOn(open, options, "events"), { test, beforeAll, afterAll });
});

describe.each(suiteJournals.filter(([, { fencing }]) => fencing === undefined))(
  "the journal suite on a folder, %s",
  (_name, options) => {
    let path = "";
    const open = async () => {
      path = await mkdtemp(join(tmpdir(), "tablekeep-journal-"));
      return openEngine({ storage: { kind: "folder", path, durable: false } });
    };
    register(suiteOn(open, options, "events"), { test, beforeAll, afterAll });
    afterAll(() => rm(path, { recursive: true }));
  },
);

describe("the cases of the journal suite", () => {
  test("have unique names, and sources", () => {
    const names = journalCases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(journalCases.filter(({ name, source }) => name === "" || source === "")).toEqual([]);
  });

  test("are left out where a journal cannot do what they need", () => {
    const open = () => Promise.reject(new Error("not opened here"));
    const needed = (...abilities: readonly string[]) =>
      journalCases.filter(({ needs = [] }) => needs.some((need) => abilities.includes(need))).length;
    const { cases } = journalSuite({ open, abilities: { marks: false } });
    expect(cases.length).toBe(journalCases.length - needed("marks", "rows", "faults"));
  });

  test("cannot be run before the suite is set up", async () => {
    const [first] = journalSuite({ open: () => Promise.reject(new Error("not opened here")) }).cases;
    await expect(first?.run()).rejects.toThrow("setup() has not run");
  });
});
