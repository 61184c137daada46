import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

test("journal expire removes the data of expired events of one id or all", async () => {
  const folder = tempFolder();
  const port = await openEngine({ storage: { kind: "folder", path: folder } });
  await ensureTable(port, journalTableSpec());
  const journal = await openJournal(port);
  for (const id of ["a", "b"])
    unwrap(await journal.append(id, [{ payload: "old", expiresAt: 1 }, { payload: "new" }]));
  await port.close();
  const expire = async (...argv: string[]) =>
    JSON.parse((await runMain(["journal", "expire", ...argv, "--data", folder, "--json"])).stdout) as unknown;
  expect(await expire("a")).toEqual({ ids: 1, events: 1, table: "events" });
  expect(await expire()).toEqual({ ids: 2, events: 1, table: "events" });
  expect(await expire()).toEqual({ ids: 2, events: 0, table: "events" });
  // Not as the payload null.
  const text = (await runMain(["journal", "get", "b", "--data", folder])).stdout;
  expect(text.split("\n").map((line) => line.trim().split(/ +/).slice(2).join(" "))).toEqual([
    "(expired)",
    '"new"',
    "",
  ]);
  const shown = await runMain(["journal", "get", "b", "--data", folder, "--json"]);
  expect(
    shown.stdout
      .split("\n")
      .slice(0, 2)
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([
    { sequenceNr: 1, payload: null, gone: "expired", expiresAt: 1 },
    { sequenceNr: 2, payload: "new" },
  ]);
  expect((await runMain(["journal", "expire", "nobody", "--data", folder, "--json"])).stderr).toMatch(
    /"CLI_NO_EVENTS"/,
  );
});
