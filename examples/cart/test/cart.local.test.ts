import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { buildCart } from "./cart-process.ts";
import { runKilledShop } from "./killed-shop.ts";

const endpoint = inject("dynamoDbLocal");
// Without an AWS account.
const env = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_EC2_METADATA_DISABLED: "true" };

describe.skipIf(endpoint === "")("the cart on DynamoDB Local, by configuration alone", () => {
  let program = "";
  beforeAll(async () => {
    program = await buildCart();
  });

  test("survives kill -9 on DynamoDB Local", async () => {
    const prefix = `cart-${randomBytes(4).toString("hex")}`;
    const shop = await runKilledShop(program, ["--endpoint", endpoint, "--prefix", prefix], 5, env);
    expect(shop.problems).toEqual([]);
    expect(shop.acked).toBeGreaterThan(0);
  });
});
