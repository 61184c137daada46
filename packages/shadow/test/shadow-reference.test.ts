import { readFileSync } from "node:fs";
import { ensureTable } from "@tablekeep/client";
import { unwrap } from "@tablekeep/core";
import { expect, test } from "vitest";
import {
  awsErrorOf,
  awsLimits,
  openShadowManager,
  ShadowError,
  type ShadowErrorCode,
  shadowErrorKinds,
  shadowHistoryTableSpec,
  wideLimits,
} from "../src/index.ts";
import { shadowWorld } from "./shadow-world.ts";

const page = readFileSync(new URL("../../../docs/reference/shadows.md", import.meta.url), "utf8");

/** The cells of the table whose head begins so, without back quotes. */
function tableUnder(head: string): string[][] {
  const lines = page.slice(page.indexOf(head)).split("\n").slice(2);
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(0, end).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

test("the page lists the attributes of an item, and no other", async () => {
  const world = await shadowWorld();
  await ensureTable(world.port, shadowHistoryTableSpec(world.table));
  const manager = openShadowManager(world.port, { table: world.table, history: {} });
  unwrap(await manager.update({ id: "x", reported: { a: 1 }, desired: { b: 1 } }));
  const [item = {}] = await world.items("x");
  const documented = tableUnder("| attribute | type").flatMap(([names = ""]) => names.split(", "));
  expect(documented.toSorted()).toEqual(Object.keys(item).toSorted());
  await manager.delete({ id: "x" });
  const [memory = {}] = await world.items("x");
  expect(Object.keys(memory).toSorted()).toEqual(["ExpiresAt", "PK", "SK", "Version", "WriteId"]);
  await world.engine.close();
});

test("the page lists the limits as they are", () => {
  const rows = tableUnder("| limit | ").map(([name = "", aws, wide]) => [name, aws, wide]);
  const text = (value: number) => value.toLocaleString("en-US");
  expect(rows).toEqual(
    Object.entries(awsLimits).map(([name, value]) => [name, text(value), text(wideLimits[name as "depth"])]),
  );
});

test("the page lists every error with AWS IoT's answer", () => {
  const documented = tableUnder("| code | status").flatMap(([codes = "", status, exception]) =>
    codes.split(", ").map((code) => [code, `${status} ${exception}`]),
  );
  const answerOf = (code: ShadowErrorCode) => {
    const error = new ShadowError(code, "", {} as never, { ambiguous: code === "SHADOW_OUTCOME_UNKNOWN" });
    const { status, exception } = awsErrorOf(error, { thingName: "t", shadowName: "" });
    return `${status} ${exception}`;
  };
  // A feed is not an answer to a request, and AWS's data plane has no requests for histories, groups, rollouts, syncs and exports.
  const codes = (Object.keys(shadowErrorKinds) as ShadowErrorCode[]).filter(
    (code) => !/^SHADOW_(?:FEED|HISTORY|GROUP|ROLLOUT|CLOUD|EXPORT)_/.test(code),
  );
  expect(Object.fromEntries(documented)).toEqual(
    Object.fromEntries(codes.map((code) => [code, answerOf(code)])),
  );
});
