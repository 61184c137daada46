import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCart } from "./cart-process.ts";
import { runKilledShop } from "./killed-shop.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cart-kill-"));
  await buildCart();
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test("50 times kill -9: no command that was acked is lost, none is carried out twice", async () => {
  const shop = await runKilledShop(["--data", join(folder, "data")], 50);
  expect(shop.problems).toEqual([]);
  expect(shop.acked).toBeGreaterThan(500);
  expect(shop.interrupted).toBeGreaterThan(20);
}, 300_000);
