import { test as base, expect as baseExpect } from "@playwright/test";
import { fixtures, matchers, type TestFixtures } from "tablekeep/testing";
import { startShop } from "./shop.ts";

export const expect = baseExpect.extend(matchers);

export const test = base.extend<TestFixtures & { shopUrl: string }>({
  ...fixtures,
  shopUrl: async ({ tablekeep }, use) => {
    await using shop = await startShop({ smtp: tablekeep.smtpUrl, dynamodb: tablekeep.dynamodbUrl });
    await use(shop.url);
  },
});
