import { type Clock, DynamoError } from "@tablekeep/core";
import { partitionName } from "../catalog/storage-keys.ts";
import type { PartitionLimiter, PartitionLocation } from "../database/service-model.ts";
import type { PartitionLimits } from "./behavior-options.ts";
import { throttlingMessages } from "./throttling.ts";

/** AWS: bp-partition-key-design — what one partition can serve in a second. */
const awsLimits = { readUnitsPerSecond: 3000, writeUnitsPerSecond: 1000, burstSeconds: 1 };

/** Partitions that are remembered before those that have not been used for a while are dropped. */
const maxPartitions = 10_000;

interface Bucket {
  units: number;
  /** When `units` were right, in milliseconds of the clock's `monotonic`. */
  since: number;
}

/**
 * A token bucket for the reads and one for the writes of every partition. A request is admitted while there are units left, and
 * may overdraw them, because its cost is known only afterwards. The next requests wait until the debt is repaid.
 */
export class PartitionBuckets implements PartitionLimiter {
  readonly #limits: Required<PartitionLimits>;
  readonly #clock: Clock;
  readonly #buckets = { read: new Map<string, Bucket>(), write: new Map<string, Bucket>() };

  constructor(limits: PartitionLimits, clock: Clock) {
    this.#limits = { ...awsLimits, ...limits };
    this.#clock = clock;
  }

  admit(kind: "read" | "write", place: PartitionLocation): void {
    const bucket = this.#buckets[kind].get(nameOf(place));
    if (bucket === undefined || this.#unitsOf(kind, bucket) > 0) return;
    throw exceeded(kind, place);
  }

  spend(kind: "read" | "write", place: PartitionLocation, units: number): void {
    const buckets = this.#buckets[kind];
    const name = nameOf(place);
    const known = buckets.get(name);
    const left = known === undefined ? this.#capacity(kind) : this.#unitsOf(kind, known);
    buckets.set(name, { units: left - units, since: this.#clock.monotonic() });
    if (buckets.size > maxPartitions) this.#dropFull(kind);
  }

  clear(): void {
    this.#buckets.read.clear();
    this.#buckets.write.clear();
  }

  #rate(kind: "read" | "write"): number {
    return kind === "read" ? this.#limits.readUnitsPerSecond : this.#limits.writeUnitsPerSecond;
  }

  #capacity(kind: "read" | "write"): number {
    return this.#rate(kind) * this.#limits.burstSeconds;
  }

  #unitsOf(kind: "read" | "write", { units, since }: Bucket): number {
    const seconds = (this.#clock.monotonic() - since) / 1000;
    return Math.min(this.#capacity(kind), units + seconds * this.#rate(kind));
  }

  #dropFull(kind: "read" | "write"): void {
    const buckets = this.#buckets[kind];
    for (const [name, bucket] of buckets) {
      if (this.#unitsOf(kind, bucket) >= this.#capacity(kind)) buckets.delete(name);
    }
  }
}

function nameOf({ table, index, at }: PartitionLocation): string {
  return partitionName(table, index, at);
}

/** The exception depends on how the table is billed. */
function exceeded(kind: "read" | "write", { table, index }: PartitionLocation): DynamoError {
  const { description } = table.record;
  const isOnDemand = description.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST";
  const exception = isOnDemand ? "ThrottlingException" : "ProvisionedThroughputExceededException";
  const ofIndex = index?.kind === "global";
  const resource = ofIndex ? `${description.TableArn}/index/${index.name}` : description.TableArn;
  const reason = `${ofIndex ? "Index" : "Table"}${kind === "read" ? "Read" : "Write"}KeyRangeThroughputExceeded`;
  return new DynamoError({
    exception,
    serviceMessage: throttlingMessages[exception],
    throttlingReasons: [{ reason, resource }],
  });
}
