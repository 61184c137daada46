import { wrapPort } from "@tablekeep/core";
import { openJournal } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { TablekeepEventStorageAdapter } from "../src/index.ts";
import { engineAdapter } from "./engine-adapter.ts";

const context = { eventStoreId: "carts" };
const added = (version: number) => ({ aggregateId: "a", version, type: "ADDED" });

test("each call sends as few requests as the packed layout allows", async () => {
  const { port } = await engineAdapter({ layout: "packed" });
  const requests: string[] = [];
  const counted = wrapPort(port, (operation, input, call, next) => {
    requests.push(operation);
    return next(operation, input, call);
  });
  const adapter = new TablekeepEventStorageAdapter(await openJournal(counted, { layout: "packed" }));
  const sent = async (work: () => Promise<unknown>) => {
    requests.length = 0;
    await work();
    return requests.slice();
  };
  expect(await sent(() => adapter.pushEvent(added(1), context))).toEqual(["Query", "TransactWriteItems"]);
  expect(await sent(() => adapter.pushEvent(added(2), context))).toEqual(["Query", "PutItem"]);
  const group = [3, 4, 5].map((version) => Object.assign(adapter.groupEvent(added(version)), { context }));
  const [first, ...others] = group as [(typeof group)[0], ...typeof group];
  expect(await sent(() => adapter.pushEventGroup({}, first, ...others))).toEqual(["Query", "PutItem"]);
  expect(await sent(() => adapter.getEvents("a", context))).toEqual(["Query"]);
});
