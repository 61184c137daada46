import type { CallOptions, Key } from "@tablekeep/core";
import {
  type ProjectionVersion,
  parkedOf,
  partitionOf,
  projectionKey,
  slicePrefix,
} from "../store/projection-items.ts";
import type { ProjectionStore } from "../store/projection-store.ts";

/**
 * Marks a version as being removed: from then on, readers cannot be switched to it, and no process begins to run it. False if it is the
 * current one and must not be.
 */
export async function beginRemoval(
  store: ProjectionStore,
  version: ProjectionVersion,
  mayBeCurrent: boolean,
  call: CallOptions,
): Promise<boolean> {
  // Otherwise it is being removed already, or its creation was interrupted.
  if (typeof (await store.version(version, call)) !== "object") return true;
  const mark = store.action({
    key: projectionKey.version(version),
    update: "SET #removing = :true",
    condition: "attribute_exists(#item)",
    names: { "#removing": "removing", "#item": "item" },
    values: { ":true": { BOOL: true } },
  });
  const isNotCurrent = {
    ConditionCheck: {
      TableName: store.context.table,
      Key: projectionKey.registry(version.name),
      ConditionExpression: "#current <> :version",
      ExpressionAttributeNames: { "#current": "current" },
      ExpressionAttributeValues: { ":version": { N: String(version.version) } },
    },
  };
  return store.transact(mayBeCurrent ? [mark] : [mark, isNotCurrent], call);
}

/** Removes a version whose removal has begun. Positions first: without them no runner can apply anything. Its own item is the last but one. */
export async function removeVersion(
  store: ProjectionStore,
  version: ProjectionVersion,
  call: CallOptions,
): Promise<void> {
  for (const prefix of [slicePrefix, parkedOf()])
    for await (const { projection, item } of store.query(partitionOf(version), prefix, call))
      await store.delete({ projection, item } as Key, call);
  await store.delete(projectionKey.version(version), call);
  await store.update(
    {
      key: projectionKey.registry(version.name),
      update: "DELETE #versions :version",
      condition: "attribute_exists(#versions)",
      names: { "#versions": "versions" },
      values: { ":version": { NS: [String(version.version)] } },
    },
    call,
  );
}

/** Removes the entry of a projection, unless it has a version. */
export async function removeEntry(store: ProjectionStore, name: string, call: CallOptions): Promise<void> {
  const unused = {
    Delete: {
      TableName: store.context.table,
      Key: projectionKey.registry(name),
      ConditionExpression: "attribute_not_exists(#versions)",
      ExpressionAttributeNames: { "#versions": "versions" },
    },
  };
  await store.transact([unused], call);
}
