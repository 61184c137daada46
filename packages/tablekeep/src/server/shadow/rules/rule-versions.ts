import { createHash } from "node:crypto";
import { batchWrite, queryItems } from "@tablekeep/client";
import type { Clock, DynamoPort, Item, Key } from "@tablekeep/core";
import type { ShadowId } from "@tablekeep/shadow";
import type { KnownVersion, VersionStore } from "../polled-changes.ts";

/** Where the versions are stored. */
export interface RuleVersionsOptions {
  readonly port: DynamoPort;
  /** The table of the shadows. */
  readonly table: string;
  readonly clock: Clock;
  /** Resolves once the events of all changes so far are in the queues. */
  readonly settled: () => Promise<void>;
}

const partition = "RULES#versions";
/** Its item exists once all shadows have been read. */
const completeKey: Key = { PK: { S: "RULES#polling" }, SK: { S: "complete" } };
/** Requests in flight at a time. */
const parallel = 4;

/** The versions up to which the rules of a polled table have handled its shadows: one item for each shadow, in the same table. */
export class RuleVersions implements VersionStore {
  readonly #options: RuleVersionsOptions;

  constructor(options: RuleVersionsOptions) {
    this.#options = options;
  }

  settled(): Promise<void> {
    return this.#options.settled();
  }

  async load(signal: AbortSignal): Promise<readonly KnownVersion[] | undefined> {
    const { port, table, clock } = this.#options;
    const complete = await port.getItem(
      { TableName: table, Key: completeKey, ConsistentRead: true },
      { signal },
    );
    if (complete.Item === undefined) return undefined;
    const params = {
      TableName: table,
      KeyConditionExpression: "PK = :partition",
      ExpressionAttributeValues: { ":partition": { S: partition } },
      ConsistentRead: true,
    };
    const found: KnownVersion[] = [];
    for await (const item of queryItems(port, params, { clock, signal })) found.push(versionOf(item));
    return found;
  }

  save(versions: readonly KnownVersion[], signal: AbortSignal): Promise<void> {
    const { table } = this.#options;
    return this.#write(
      versions.map((version) => ({ table, put: itemOf(version) })),
      signal,
    );
  }

  remove(shadows: readonly ShadowId[], signal: AbortSignal): Promise<void> {
    const { table } = this.#options;
    return this.#write(
      shadows.map((shadow) => ({ table, delete: keyOf(shadow) })),
      signal,
    );
  }

  async complete(signal: AbortSignal): Promise<void> {
    const { port, table } = this.#options;
    await port.putItem({ TableName: table, Item: completeKey }, { signal });
  }

  async #write(entries: Parameters<typeof batchWrite>[1], signal: AbortSignal): Promise<void> {
    const { port, table, clock } = this.#options;
    if (entries.length === 0) return;
    await batchWrite(port, entries, { keyNames: { [table]: ["PK", "SK"] }, parallel, clock, signal });
  }
}

/** Names may be longer than a sort key. */
function keyOf({ id, name }: ShadowId): Key {
  const digest = createHash("sha256")
    .update(JSON.stringify([id, name]))
    .digest("base64url");
  return { PK: { S: partition }, SK: { S: digest } };
}

function itemOf(known: KnownVersion): Item {
  const { id, name, version, timeStamp, deletedAt } = known;
  return {
    ...keyOf(known),
    Thing: { S: id },
    ShadowName: { S: name },
    Version: { N: String(version) },
    TimeStamp: { N: String(timeStamp) },
    ...(deletedAt !== undefined && { DeletedAt: { N: String(deletedAt) } }),
  };
}

function versionOf(item: Item): KnownVersion {
  const { Thing, ShadowName, Version, TimeStamp, DeletedAt } = item;
  return {
    id: Thing?.S ?? "",
    name: ShadowName?.S ?? "",
    version: Number(Version?.N),
    timeStamp: BigInt(TimeStamp?.N ?? 0),
    ...(DeletedAt?.N !== undefined && { deletedAt: BigInt(DeletedAt.N) }),
  };
}
