import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleCart } from "./bundle-cart.ts";
import { runKilledShop } from "./killed-shop.ts";

const kills = 30 * Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));
let folder = "";
let program = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cart-kill-"));
  program = await bundleCart();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(dirname(program), { recursive: true, force: true });
});

test(`kill -9, ${kills} times: no acknowledged command is lost, and none is carried out twice`, async () => {
  const shop = await runKilledShop(program, ["--data", join(folder, "data")], kills);
  expect(shop.problems).toEqual([]);
  expect(shop.acked).toBeGreaterThan(5 * kills);
  expect(shop.interrupted).toBeGreaterThan(0.4 * kills);
});
