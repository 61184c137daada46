import { transactGetGroups } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import type { RowKind } from "../model/shadow-error.ts";
import { memoryKey, rowKey } from "../rows/row-keys.ts";
import { attributeOf, expiryAttribute } from "../rows/stored-row.ts";
import { checkOperation, operationChecks, shadowIdOf } from "./check-operation.ts";
import type { ShadowOperation } from "./shadows.ts";
import type { StoreCall } from "./store-options.ts";

/** Reads a shadow's items and their remembered versions as of one moment. */
export async function readDeletedVersion(
  call: StoreCall,
  operation: ShadowOperation,
): Promise<number | undefined> {
  checkOperation(operation, operationChecks);
  const { table, model: defaultModel } = call.options;
  const shadow = shadowIdOf(operation);
  const model = operation.model ?? defaultModel;
  const kinds: readonly RowKind[] = model === "combined" ? ["combined"] : ["reported", "desired"];
  const keys = [rowKey, memoryKey].flatMap((keyOf) => kinds.map((kind) => keyOf({ ...shadow, kind })));
  const gets = keys.map((Key) => ({ TableName: table, Key }));
  const [items = []] = await transactGetGroups(call.port, [gets], call.request());
  if (items.slice(0, kinds.length).some((item) => item !== undefined)) return undefined;
  const now = call.options.clock.now();
  const versions = items.slice(kinds.length).flatMap((memory) => rememberedVersion(memory, now) ?? []);
  return versions.length === 0 ? undefined : Math.max(...versions);
}

function rememberedVersion(memory: Item | undefined, now: number): number | undefined {
  const version = memory && attributeOf(memory, "Version")?.N;
  const isExpired = Number(memory?.[expiryAttribute]?.N) * 1000 <= now;
  return version === undefined || isExpired ? undefined : Number(version);
}
