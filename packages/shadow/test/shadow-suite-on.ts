import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { faultyPort } from "@tablekeep/testkit";
import {
  openShadowManager,
  openShadows,
  type ShadowModel,
  type ShadowPolicy,
  shadowTableSpec,
} from "../src/index.ts";
import { type ShadowSuite, shadowSuite } from "../src/testing/index.ts";

/** Every model with every policy. */
export const suiteShadows: readonly (readonly [ShadowModel, ShadowPolicy])[] = [
  ["combined", "aws"],
  ["combined", "acknowledge"],
  ["separate", "aws"],
  ["separate", "acknowledge"],
];

/** The suite for shadows on a port, in a table of this name. */
export function suiteOn(
  open: () => Promise<DynamoPort>,
  [model, policy]: readonly [ShadowModel, ShadowPolicy],
  table: string,
): ShadowSuite {
  const store = { table, model };
  let port: DynamoPort | undefined;
  const opened = async () => {
    if (port === undefined) {
      port = await open();
      // Without expiry: it would hold a thread of DynamoDB Local for each table, and no case waits for it.
      const { ttlAttribute: _none, ...spec } = shadowTableSpec(table);
      await ensureTable(port, spec);
    }
    return port;
  };
  const on = (each: DynamoPort) => ({
    shadows: openShadows(each, store),
    manager: openShadowManager(each, store, { policy }),
  });
  const suite = shadowSuite({
    model,
    policy,
    open: async () => on(await opened()),
    openWithFaults: async (schedule) => on(faultyPort(await opened(), schedule)),
  });
  return {
    ...suite,
    teardown: async () => {
      await suite.teardown();
      await port?.close();
    },
  };
}
