import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { connect } from "@tablekeep/client";
import { type RunningDynamoDb, startDynamoDb } from "tablekeep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleBank } from "./bundle-bank.ts";
import { accounts, balanceOf, balancesOf, startBanks, transferAndKill } from "./killed-banks.ts";
import { readBooks, waitingIn } from "./read-books.ts";

let folder = "";
let program = "";
let served: RunningDynamoDb;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bank-kill-"));
  program = await bundleBank();
  served = await startDynamoDb({ dataFolder: join(folder, "data"), port: 0 });
});
afterAll(async () => {
  await served.stop();
  await rm(folder, { recursive: true, force: true });
  await rm(dirname(program), { recursive: true, force: true });
});

test("kill -9, 15 times, of three banks on one folder: no cent is lost, and every transfer ends", async () => {
  const banks = startBanks(program, served.endpoint, 3);
  const port = connect({
    endpoint: served.endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
  });
  try {
    const { wishes, interrupted } = await transferAndKill(banks, { kills: 15, transfersPerKill: 8 });
    await expect.poll(() => waitingIn(port), { interval: 200 }).toBe(0);
    const { problems, balances, paidIn, ends } = await readBooks(port);
    expect(problems).toEqual([]);
    expect(paidIn).toBe(Object.values(accounts).reduce((sum, cents) => sum + cents, 0));
    expect([...balances.values()].reduce((sum, cents) => sum + cents, 0)).toBe(paidIn);
    for (const [account, cents] of balances)
      expect([account, await balanceOf(banks, account)]).toEqual([account, cents]);
    // The read model is behind by a moment, and has each event once. An account that was never opened is not in it.
    const opened = new Map([...balances].filter(([account]) => Object.hasOwn(accounts, account)));
    const shown = async () =>
      new Map((await balancesOf(banks)).map(({ account, cents }) => [account, cents]));
    await expect.poll(shown, { interval: 200 }).toEqual(opened);
    expect([...ends.keys()].sort()).toEqual(wishes.map(({ id }) => id).sort());
    // All three ways to end have happened, and no other.
    expect([...new Set(ends.values())].sort()).toEqual(["declined", "done", "refunded"]);
    expect(interrupted).toBeGreaterThan(0);
  } finally {
    expect(await banks.stop()).toEqual([0, 0, 0]);
    await port.close();
  }
});
