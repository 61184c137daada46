import { openEngine } from "@tablekeep/engine";
import { register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shadowCases, shadowSuite } from "../src/testing/index.ts";
import { suiteOn, suiteShadows } from "./shadow-suite-on.ts";

describe.each(suiteShadows)("the shadow suite in memory, %s, %s", (...kind) => {
  const open = () => openEngine({ storage: { kind: "memory" } });
  register(suiteOn(open, kind, "shadows"), { test, beforeAll, afterAll });
});

describe("the cases of the shadow suite", () => {
  test("have unique names and sources", () => {
    const names = shadowCases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(shadowCases.filter(({ name, source }) => name === "" || source === "")).toEqual([]);
  });

  test("are left out where they are about another policy, or faults cannot be made", async () => {
    const open = () => Promise.reject(new Error("not opened here"));
    const suite = shadowSuite({ model: "combined", policy: "acknowledge", open });
    const left = shadowCases.filter(({ policy, needsFaults }) => policy !== "aws" && !needsFaults);
    expect(suite.cases.map(({ name }) => name)).toEqual(left.map(({ name }) => name));
    await expect(suite.cases[0]?.run()).rejects.toThrow("setup() has not run");
  });
});
