import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { faultyPort } from "@tablekeep/testkit";
import { type MailOptions, mailTableSpec, openMail } from "../src/index.ts";
import { type MailSuite, mailSuite } from "../src/testing/index.ts";

/** The stores that the suite runs on. */
export const suiteStores: readonly (readonly [name: string, options: MailOptions])[] = [
  ["sharded", { layout: "sharded" }],
  ["an inbox", { layout: "sharded", inbox: "branch-7" }],
  ["mhdynamo", { layout: "mhdynamo" }],
];

/** The suite for a store on a port, in a table of this name. */
export function suiteOn(open: () => Promise<DynamoPort>, options: MailOptions, table: string): MailSuite {
  const given = { ...options, table, pollMs: 50 };
  let port: DynamoPort | undefined;
  const opened = async () => {
    if (port === undefined) {
      port = await open();
      await ensureTable(port, mailTableSpec(given));
    }
    return port;
  };
  const suite = mailSuite({
    open: async () => openMail(await opened(), given),
    openWithFaults: async (schedule) => openMail(faultyPort(await opened(), schedule), given),
    abilities: { largeMessages: options.layout !== "mhdynamo" },
  });
  return {
    ...suite,
    teardown: async () => {
      await suite.teardown();
      await port?.deleteTable({ TableName: table });
      await port?.close();
    },
  };
}
