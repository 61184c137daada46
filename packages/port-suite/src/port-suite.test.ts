import { describe, expect, it } from "vitest";
import { allCases } from "./all-cases.ts";
import { dynamoPortSuite } from "./port-suite.ts";

describe("the cases of the port suite", () => {
  it("are at least 1,428", () => {
    expect(allCases.length).toBeGreaterThanOrEqual(1_428);
  });

  it("have unique names", () => {
    const seen = new Set<string>();
    const repeated = allCases.map(({ name }) => name).filter((name) => seen.size === seen.add(name).size);
    expect(repeated).toEqual([]);
  });

  it("have names of one line", () => {
    const unreadable = allCases
      .map(({ name }) => name)
      .filter((name) => name.trim() === "" || /[\r\n]/.test(name));
    expect(unreadable).toEqual([]);
  });

  it("each cite a source", () => {
    expect(allCases.filter(({ source }) => source.trim() === "").map(({ name }) => name)).toEqual([]);
  });

  it("each state a reason for every gap", () => {
    const reasons = allCases.flatMap(({ gaps }) => Object.values(gaps ?? {}));
    expect(reasons.filter((reason) => reason.trim() === "")).toEqual([]);
  });

  it("cannot be run before the suite is set up", async () => {
    const [first] = dynamoPortSuite({ open: () => Promise.reject(new Error("not opened here")) }).cases;
    await expect(first?.run()).rejects.toThrow("setup() has not run");
  });
});
