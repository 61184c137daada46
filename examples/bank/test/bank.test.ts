import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "@tablekeep/engine";
import { checkEntity, scenarioOf } from "@tablekeep/entity/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account } from "../src/account.ts";
import { bankServer } from "../src/bank-server.ts";
import { type Bank, openBank } from "../src/open-bank.ts";
import { transfer } from "../src/transfer.ts";
import { readBooks } from "./read-books.ts";

const opened = { type: "opened", cents: 100 } as const;
const step = { transfer: "t", cents: 60 };
const begun = { type: "begun", from: "ann", to: "ben", cents: 60 } as const;

/** The ids of the messages that a decision sends. */
const sent = (items: readonly { Put?: { Item?: Record<string, { S?: string }> } }[]) =>
  items.map(({ Put }) => Put?.Item?.["id"]?.S);

describe("an account", () => {
  const given = scenarioOf(account);

  test("answers every step with an event and a message", () => {
    const end = given([opened]).when({ type: "withdraw", ...step });
    end.then({ type: "withdrawn", ...step });
    expect(sent(end.alsoWrite as never)).toEqual(["t/withdrawn"]);
    given([opened])
      .when({ type: "withdraw", transfer: "t", cents: 101 })
      .then({ type: "withdrawal-declined", transfer: "t", cents: 101 });
    given([])
      .when({ type: "withdraw", ...step })
      .then({ type: "withdrawal-declined", ...step });
    given([])
      .when({ type: "deposit", ...step })
      .then({ type: "deposit-declined", ...step });
    given([opened])
      .when({ type: "deposit", ...step })
      .then({ type: "deposited", ...step });
  });

  test("accepts a refund although it is closed", () => {
    const end = given([{ type: "opened", cents: 60 }, { type: "withdrawn", ...step }, { type: "closed" }]);
    const { state } = end.when({ type: "refund", ...step }).then({ type: "refunded", ...step });
    expect(state).toEqual({ status: "closed", cents: 60 });
  });

  test("is opened once, and closed when it is empty", () => {
    given([opened]).when({ type: "open", cents: 1 }).then({ refused: "already-opened" });
    given([opened]).when({ type: "close" }).then({ refused: "not-empty" });
    given([]).when({ type: "close" }).then({ refused: "not-open" });
  });

  test("never has less than nothing, whatever it is asked", () => {
    checkEntity(account, {
      command(random) {
        const cents = 1 + Math.floor(random() * 100);
        const types = ["open", "withdraw", "deposit", "refund"] as const;
        const type = types[Math.floor(random() * types.length)] ?? "open";
        return type === "open" ? { type, cents } : { type, transfer: "t", cents };
      },
      invariant: ({ cents }) => cents >= 0,
    });
  });
});

describe("a transfer", () => {
  const given = scenarioOf(transfer);
  const depositing = { type: "moved-on", status: "depositing" } as const;

  test("withdraws, deposits and ends", () => {
    const first = given([])
      .when({ type: "begin", from: "ann", to: "ben", cents: 60 }, { id: "t" })
      .then(begun);
    expect(sent(first.alsoWrite as never)).toEqual(["t/withdraw"]);
    const second = given([begun]).when({ type: "withdrawn" }, { id: "t" }).then(depositing);
    expect(sent(second.alsoWrite as never)).toEqual(["t/deposit"]);
    given([begun, depositing]).when({ type: "deposited" }).then({ type: "ended", status: "done" });
  });

  test("ends at once if the withdrawal is declined, and pays back if the deposit is", () => {
    given([begun]).when({ type: "withdrawal-declined" }).then({ type: "ended", status: "declined" });
    const back = given([begun, depositing]).when({ type: "deposit-declined" }, { id: "t" });
    back.then({ type: "moved-on", status: "refunding" });
    expect(sent(back.alsoWrite as never)).toEqual(["t/refund"]);
  });

  test("ignores what is delivered again, and refuses to be another one", () => {
    given([begun, depositing]).when({ type: "withdrawn" }).then([]);
    given([begun]).when({ type: "begin", from: "ann", to: "ben", cents: 60 }).then([]);
    given([begun])
      .when({ type: "begin", from: "ann", to: "ben", cents: 61 })
      .then({ refused: "other-transfer" });
    given([]).when({ type: "begin", from: "ann", to: "ann", cents: 1 }).then({ refused: "same-account" });
  });
});

describe("the bank", () => {
  let folder = "";
  let bank: Bank;
  let url = "";
  let server: ReturnType<typeof bankServer>;
  const errors: unknown[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "bank-"));
    bank = await openBank({ folder: join(folder, "data") }, (error) => errors.push(error));
    server = bankServer(bank).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const post = async (path: string, body: unknown) => {
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
    return [response.status, await response.json()] as const;
  };
  const get = async (path: string) => (await (await fetch(url + path)).json()) as Record<string, unknown>;
  const begin = (id: string, from: string, to: string, cents: number) =>
    post(`/transfers/${id}`, { type: "begin", from, to, cents });

  test("transfers, declines and pays back, and rejects what is wrong", async () => {
    expect(await post("/accounts/ann", { type: "open", cents: 100 })).toEqual([
      200,
      { status: "open", cents: 100 },
    ]);
    await post("/accounts/ben", { type: "open", cents: 0 });
    expect((await begin("1", "ann", "ben", 30))[0]).toBe(200);
    expect((await begin("2", "ben", "ann", 1_000))[0]).toBe(200);
    expect((await begin("3", "ann", "nobody", 20))[0]).toBe(200);
    for (const [id, status] of Object.entries({ 1: "done", 2: "declined", 3: "refunded" }))
      await expect.poll(() => get(`/transfers/${id}`)).toMatchObject({ status });
    expect(await get("/accounts/ann")).toEqual({ status: "open", cents: 70 });
    expect(await get("/accounts/ben")).toEqual({ status: "open", cents: 30 });
    expect((await begin("1", "ann", "ben", 30))[0]).toBe(200);
    expect((await begin("1", "ann", "ben", 31))[0]).toBe(409);
    expect((await post("/accounts/ann", { type: "deposit", transfer: "x", cents: 1 }))[0]).toBe(400);
    expect((await post("/transfers/9", { type: "begin", from: "ann" }))[0]).toBe(400);
    expect((await fetch(`${url}/other`)).status).toBe(404);
    expect(errors).toEqual([]);
    server.close();
    await bank.close();
    const port = await openEngine({ storage: { kind: "folder", path: join(folder, "data") } });
    const books = await readBooks(port);
    expect(books).toMatchObject({ paidIn: 100, waiting: 0, problems: [] });
    expect([...books.balances]).toEqual(expect.arrayContaining([["ann", 70]]));
    await port.close();
  });
});
