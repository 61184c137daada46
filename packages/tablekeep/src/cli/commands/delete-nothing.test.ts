/** Naming something that does not exist is the same error for every noun, even before the user is asked to confirm. */
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { projectionTableSpec } from "@tablekeep/feed/projections";
import { journalTableSpec, snapshotTableSpec } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { shadowTableSpec } from "@tablekeep/shadow";
import { beforeAll, expect, test } from "vitest";
import { startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const data = tempFolder();

beforeAll(async () => {
  await using engine = await openEngine({ storage: { kind: "folder", path: data } });
  const carts = { name: "carts", partitionKey: { name: "id", type: "S" } } as const;
  const stores = [journalTableSpec(), snapshotTableSpec(), projectionTableSpec()];
  for (const spec of [carts, ...stores, mailTableSpec(), shadowTableSpec()]) await ensureTable(engine, spec);
});

test.each([
  ["table delete carts", '{"id":"none"}'],
  ["journal delete none --to 3"],
  ["journal purge none"],
  ["snapshot delete none --sequence-nr 3"],
  ["snapshot delete none --to 3"],
  ["snapshot delete none --all"],
  ["mail delete none"],
  ["shadow delete none"],
  ["shadow delete none --name config"],
  ["shadow group delete none"],
  ["shadow rollout rollback none"],
  ["projection delete none"],
  ["projection drop none --all"],
])("%s", async (words, ...more) => {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return true;
  };
  for (const yes of [[], ["--yes"]]) {
    const argv = [...words.split(" "), ...more, "--data", data, ...yes];
    const { code, stdout, stderr } = await startMain(argv, {}, ask).result;
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/^error: .*none.* \[\w+\]\n$/),
    });
  }
  expect(asked).toEqual([]);
});

test.each([["mail delete --query none --yes"], ["mail delete --all --yes"]])(
  "%s succeeds: a condition may select nothing",
  async (words) => {
    const { code } = await startMain([...words.split(" "), "--data", data]).result;
    expect(code).toBe(0);
  },
);
