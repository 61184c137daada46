import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { engineOptionNames } from "../../src/engine-options.ts";
import { unsupportedFeatures } from "../../src/operations/unsupported.ts";
import {
  behaviorNames,
  partitionLimitNames,
  streamBehaviorNames,
  throttlingReasonNames,
  throttlingRuleNames,
} from "../../src/simulation/behavior-options.ts";
import {
  checkpoints,
  conflicts,
  expiry,
  faults,
  inFolder,
  lag,
  pages,
  partitionLimits,
  streamShards,
  throttling,
  throughSdk,
} from "./page-examples.ts";

const page = readFileSync(new URL("../../../../docs/reference/engine.md", import.meta.url), "utf8");

/** Returns the rows of the table whose first heading is this, without backquotes. */
function rowsUnder(heading: string): string[][] {
  const [, ...lines] = page.slice(page.indexOf(`\n| ${heading} `) + 1).split("\n");
  const end = lines.findIndex((line) => !line.startsWith("|"));
  const cells = (line: string) => line.slice(1, -1).split("|");
  return lines.slice(1, end).map((line) => cells(line).map((cell) => cell.trim().replaceAll("`", "")));
}

describe("docs/reference/engine.md", () => {
  test.each([
    ["option", engineOptionNames],
    ["behavior", behaviorNames],
    ["stream behavior", streamBehaviorNames],
    ["rule", throttlingRuleNames],
    ["limit", partitionLimitNames],
  ])("lists every %s, and no other", (heading, names) => {
    expect(rowsUnder(heading).map(([name]) => name)).toEqual(names);
  });

  test("lists every throttling reason, and no other", () => {
    const listed = [...page.matchAll(/`((?:Table|Index)(?:Read|Write)\w+Exceeded)`/g)].map(
      ([, name]) => name,
    );
    expect(listed).toEqual(throttlingReasonNames);
  });

  test("lists every unsupported feature", () => {
    const expected = unsupportedFeatures.map(({ feature, operations, members = [], instead }) => [
      feature,
      operations.join(", "),
      members.join(", "),
      instead.replaceAll("`", ""),
    ]);
    expect(rowsUnder("feature")).toEqual(expected);
  });

  test("has examples that run", async () => {
    const path = await mkdtemp(join(tmpdir(), "engine-page-"));
    onTestFinished(() => rm(path, { recursive: true }));
    expect(await inFolder(path)).toEqual([]);
    expect(await throughSdk()).toBeDefined();
    expect(await expiry()).toEqual([1, 0]);
    expect(await checkpoints()).toBe(0);
    const reason = "TableWriteProvisionedThroughputExceeded";
    expect(await throttling()).toBe(`${reason},${reason}`);
    expect(await partitionLimits()).toBe("ThrottlingException");
    expect(await streamShards()).toBe(2);
    expect(await conflicts()).toEqual(["conflict", "a"]);
    expect(await pages()).toBeGreaterThan(0);
    expect(await lag()).toEqual([0, 1]);
    expect(await faults()).toBe(true);
  });
});
