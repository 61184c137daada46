import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { openEntities } from "@tablekeep/entity";
import { checkEntity, scenarioOf } from "@tablekeep/entity/testing";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cart, totalOf } from "../src/cart.ts";
import { cartServer } from "../src/cart-server.ts";
import { type OpenCarts, openCarts } from "../src/open-carts.ts";

const apples = { sku: "apple", quantity: 2, cents: 50 };

describe("the cart", () => {
  const given = scenarioOf(cart);

  test("adds up quantities per article", () => {
    given([])
      .when({ type: "add", ...apples })
      .then({ type: "added", ...apples });
    const { state } = given([
      { type: "added", ...apples },
      { type: "added", sku: "pear", quantity: 1, cents: 80 },
      { type: "added", ...apples, quantity: 1 },
      { type: "removed", sku: "pear" },
    ]).when({ type: "show" });
    expect(state).toEqual({ lines: [{ ...apples, quantity: 3 }] });
  });

  test("can be checked out once, unless it is empty", () => {
    given([]).when({ type: "check-out" }).then({ refused: "empty" });
    const out = { type: "checked-out", orderId: "id-1", total: 100, at: 7 } as const;
    given([{ type: "added", ...apples }])
      .when({ type: "check-out" }, { now: 7 })
      .then(out);
    given([{ type: "added", ...apples }, out])
      .when({ type: "add", ...apples })
      .then({ refused: "checked-out" });
  });

  test("holds at most 100 articles", () => {
    const full = Array.from({ length: 100 }, (_unused, at) => ({
      type: "added" as const,
      ...apples,
      sku: `s-${at}`,
    }));
    given(full)
      .when({ type: "add", ...apples })
      .then({ refused: "full" });
    given(full)
      .when({ type: "add", ...apples, sku: "s-5" })
      .then({ type: "added", ...apples, sku: "s-5" });
  });

  test("survives random commands with a crash after each", () => {
    const skus = ["apple", "pear", "plum"];
    checkEntity(cart, {
      runs: 50,
      command: (random) => {
        const sku = skus[Math.floor(random() * skus.length)] ?? "apple";
        const drawn = random();
        if (drawn < 0.6) return { type: "add", sku, quantity: 1 + Math.floor(random() * 5), cents: 10 };
        if (drawn < 0.85) return { type: "remove", sku };
        return drawn < 0.9 ? { type: "check-out" } : { type: "show" };
      },
      invariant: (state) => {
        if (new Set(state.lines.map(({ sku }) => sku)).size !== state.lines.length) return "an article twice";
        if (state.order !== undefined && state.order.total !== totalOf(state))
          return "changed after check-out";
        return state.lines.every(({ quantity }) => quantity > 0);
      },
    });
  });
});

describe("the cart over HTTP", () => {
  let folder = "";
  let carts: OpenCarts;
  let server: Server;
  let url = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "cart-http-"));
    carts = await openCarts({ folder });
    server = cartServer(carts.host).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await carts.close();
    await rm(folder, { recursive: true, force: true });
  });

  const post = async (id: string, body: unknown, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
    const answer = await fetch(`${url}/carts/${id}`, {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return [answer.status, await answer.json()];
  };

  test("commands and views", async () => {
    expect(await post("a", { type: "add", ...apples })).toEqual([200, { lines: [apples], total: 100 }]);
    expect(await post("a", { type: "remove", sku: "pear" })).toEqual([200, { lines: [apples], total: 100 }]);
    expect(await post("a", { type: "check-out" })).toMatchObject([200, { order: { total: 100 } }]);
    expect(await post("a", { type: "remove", sku: "apple" })).toMatchObject([409, { reason: "checked-out" }]);
    const shown = await fetch(`${url}/carts/a`);
    expect(await shown.json()).toMatchObject({ lines: [apples], order: { total: 100 } });
  });

  test("a command with a key is safe to repeat", async () => {
    const first = await post("b", { type: "add", ...apples }, "1");
    expect(await post("b", { type: "add", ...apples }, "1")).toEqual(first);
    expect(await post("b", { type: "add", ...apples, quantity: 1 }, "1")).toMatchObject([400, {}]);
  });

  test.each([
    [400, "c", "{"],
    [400, "c", { type: "fly" }],
    [400, "c", { type: "add", ...apples, quantity: 0 }],
    [413, "c", "x".repeat(20_000)],
    [404, "c/d", {}],
  ])("answers %i to a wrong request", async (status, id, body) => {
    expect((await post(id, body))[0]).toBe(status);
  });

  test("responds with 500 to an internal error", async () => {
    const broken: typeof cart = {
      ...cart,
      decide() {
        throw new TypeError("planted");
      },
    };
    await using port = await openEngine({ storage: { kind: "memory" } });
    await ensureTable(port, journalTableSpec());
    await using host = await openEntities({ journal: await openJournal(port), entities: [broken] });
    await using buggy = cartServer({ ...host, of: () => host.of(broken) } as typeof host).listen(
      0,
      "127.0.0.1",
    );
    await once(buggy, "listening");
    const answer = await fetch(`http://127.0.0.1:${(buggy.address() as AddressInfo).port}/carts/a`, {
      method: "POST",
      body: JSON.stringify({ type: "check-out" }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([500, { code: "ENTITY_DECIDE_FAILED" }]);
  });
});
