import { test as base } from "@playwright/test";
import { type Inbox, startTestServer, type TestServer } from "tablekeep/testing";
import { startShop } from "./shop.ts";

interface OfEachTest {
  readonly inbox: Inbox;
  readonly shopUrl: string;
}

interface OfEachWorker {
  readonly tablekeep: TestServer;
}

export const test = base.extend<OfEachTest, OfEachWorker>({
  tablekeep: [
    async ({}, use) => {
      await using server = await startTestServer();
      await use(server);
    },
    { scope: "worker" },
  ],
  inbox: ({ tablekeep }, use) => use(tablekeep.inbox),
  shopUrl: async ({ tablekeep }, use) => {
    await using shop = await startShop({ smtp: tablekeep.smtpUrl, dynamodb: tablekeep.dynamodbUrl });
    await use(shop.url);
  },
});
