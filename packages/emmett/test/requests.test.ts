import { CommandHandler } from "@event-driven-io/emmett";
import { wrapPort } from "@tablekeep/core";
import { openJournal } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { getTablekeepEventStore } from "../src/index.ts";
import { added, type Cart, type CartEvent, evolve, initialState } from "./cart.ts";
import { engineStore } from "./engine-store.ts";

const handle = CommandHandler<Cart, CartEvent>({ evolve, initialState });

test("each call sends as few requests as the packed layout allows", async () => {
  const { port } = await engineStore({ layout: "packed" });
  const requests: string[] = [];
  const counted = wrapPort(port, (operation, input, call, next) => {
    requests.push(operation);
    return next(operation, input, call);
  });
  const store = getTablekeepEventStore(await openJournal(counted, { layout: "packed" }));
  const sent = async (work: () => Promise<unknown>) => {
    requests.length = 0;
    await work();
    return requests.slice();
  };
  await store.appendToStream("cart-1", [added()]);
  expect(await sent(() => store.streamExists("cart-1"))).toEqual(["Query"]);
  expect(await sent(() => store.readStream("cart-1"))).toEqual(["Query"]);
  expect(await sent(() => store.appendToStream("cart-1", [added(), added()]))).toEqual(["Query", "PutItem"]);
  const command = ["Query", "Query", "PutItem"];
  expect(await sent(() => handle(store, "cart-1", () => added()))).toEqual(command);
  const expectedStreamVersion = 4n;
  expect(await sent(() => handle(store, "cart-1", () => added(), { expectedStreamVersion }))).toEqual(
    command,
  );
  // Without events, it is read whether they are deleted; and the first write adds the stream to the registry.
  const first = ["Query", "Query", "Query", "TransactWriteItems"];
  expect(await sent(() => handle(store, "cart-2", () => added()))).toEqual(first);
});
