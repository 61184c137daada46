import { readFileSync } from "node:fs";
import { metered } from "@tablekeep/client";
import { expect, test } from "vitest";
import { ensureStream, openStreamSource, streamSourceOptionNames } from "../src/index.ts";
import { streamWorld, tableName } from "./stream-world.ts";

const page = readFileSync(new URL("../../../docs/reference/table-changes.md", import.meta.url), "utf8");
/** Returns the rows of the table under a heading. */
const rowsOf = (heading: string) =>
  (page.split(/^## /m).find((text) => text.startsWith(heading)) ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => line.split("|").map((cell) => cell.trim()));

test("lists every option, and no other", () => {
  expect(rowsOf("Options").map(([, name = ""]) => name.replaceAll("`", ""))).toEqual(streamSourceOptionNames);
});

test("lists the permissions", async () => {
  await using world = await streamWorld();
  const { clock } = world;
  const { port, meter } = metered(world.port);
  const used = () => Object.keys(meter.reset().byOperation).toSorted();
  const source = await openStreamSource(port, { tableName, clock });
  await clock.autoAdvance(async () => {
    let batches = 0;
    const { signal } = new AbortController();
    for await (const _ of source.read(new Map(), { signal })) if (++batches === 5) break;
  });
  const [stream = [], table = [], ensuring = []] = rowsOf("Permissions").map(([, , actions = ""]) =>
    actions.split(", "),
  );
  expect(used()).toEqual([...stream, ...table].toSorted());
  await port.updateTable({ TableName: tableName, StreamSpecification: { StreamEnabled: false } });
  meter.reset();
  await clock.autoAdvance(() => ensureStream(port, tableName, "NEW_IMAGE", { clock }));
  expect(used()).toEqual(ensuring);
});

test("computes the cost of idle streams", () => {
  const rows = rowsOf("Cost").filter(([, stream]) => /^\d+ shard/.test(stream ?? ""));
  expect(rows).toHaveLength(4);
  for (const [, stream = "", pollMs = "", reads = "", price = ""] of rows) {
    const numberOf = (text: string) => Number(text.replaceAll(",", ""));
    const month = ((730 * 3600 * 1000) / numberOf(pollMs)) * Number.parseInt(stream, 10);
    expect(numberOf(reads)).toBe(month);
    expect(price).toBe(`$${((month / 100_000) * 0.02).toFixed(2)}`);
  }
});
