import type { DynamoPort } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { type JournalOptions, openJournal } from "../src/index.ts";
import { engineWith, engineWithFixture, fixtureOptions, itemsOf } from "./journal-world.ts";

const options: JournalOptions = { layout: "bucketed", table: "events", akka: "2.6" };

/** Writes event 1 of an id and its high marks, as the Akka plugin does with this many shards. */
async function putMarks(port: DynamoPort, id: string, shards: number, last: number): Promise<void> {
  const put = (par: string, num: number, seq?: number) =>
    port.putItem({
      TableName: "events",
      Item: {
        par: { S: `journal-${par}` },
        num: { N: String(num) },
        ...(seq !== undefined && { seq: { N: String(seq) } }),
      },
    });
  await put(`P-${id}-0`, 1);
  for (let mark = 100; mark <= last; mark += 100) await put(`SH-${id}-${(mark / 100) % shards}`, 0, mark);
}

async function opened(port: DynamoPort, given: JournalOptions): Promise<unknown> {
  return openJournal(port, given).then(
    () => "opened",
    ({ code, details }) => [code, details],
  );
}

describe("the first opener of a table with marks of an Akka plugin", () => {
  test.each([
    [10, "20"],
    [40, "20"],
    [20, undefined],
  ])("with 20 shards gets an error that names them, given %d", async (sequenceShards, stored) => {
    await using engine = await engineWith(options);
    await putMarks(engine, "a", 20, 4_300);
    await putMarks(engine, "b", 20, 2_500);
    const before = await itemsOf(engine, "events");
    const result = await opened(engine, { ...options, sequenceShards });
    if (stored === undefined) return expect(result).toBe("opened");
    const details = { setting: "sequenceShards", stored, given: String(sequenceShards) };
    expect(result).toEqual(["JOURNAL_SETTINGS_DIFFER", details]);
    expect(await itemsOf(engine, "events")).toEqual(before);
  });

  test.each([undefined, "none"] as const)("gets an error for too few shards, with akka %s", async (akka) => {
    await using engine = await engineWith(options);
    await putMarks(engine, "a", 50, 1_500);
    const details = { setting: "sequenceShards", stored: "at least 16", given: "10" };
    const given = { layout: "bucketed", table: "events", ...(akka !== undefined && { akka }) } as const;
    expect(await opened(engine, given)).toEqual(["JOURNAL_SETTINGS_DIFFER", details]);
    expect(await opened(engine, { ...given, sequenceShards: 50 })).toBe("opened");
  });

  test("is not stopped by marks of several settings", async () => {
    await using engine = await engineWith(options);
    await putMarks(engine, "a", 7, 900);
    await putMarks(engine, "b", 10, 1_900);
    expect(await opened(engine, options)).toBe("opened");
  });

  test.each(["akka-0.3", "akka-1.1", "akka-1.3", "akka-1.3-faults"] as const)(
    "opens the table of %s with the setting of its plugin, and with 1 gets an error",
    async (fixture) => {
      await using engine = await engineWithFixture(fixture);
      const given = { ...fixtureOptions(fixture), akka: "2.5" } as const;
      expect(await opened(engine, { ...given, sequenceShards: 1 })).toMatchObject([
        "JOURNAL_SETTINGS_DIFFER",
        {},
      ]);
      expect(await opened(engine, given)).toBe("opened");
    },
  );
});
