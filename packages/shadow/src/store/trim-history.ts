import { batchWrite } from "@tablekeep/client";
import { type Item, isTablekeepError } from "@tablekeep/core";
import { entryKey } from "../rows/history-row.ts";
import { type ShadowId, shadowText } from "../rows/row-keys.ts";
import { beginCall, type ResolvedHistory, type StoreCall, type StoreContext } from "./store-options.ts";

/** Entries beyond `keep` are removed with every version that is a multiple of this. */
const trimEvery = 16;
/** The number of shadows that are trimmed concurrently, and of those that wait. Further ones are trimmed after a later version. */
const [maxRunning, maxWaiting] = [4, 1_000];
/** The maximum number of entries that one trim removes: more than a shadow has, unless earlier trims failed. */
const [pageSize, maxPages] = [100, 10];

interface Trim {
  readonly shadow: ShadowId;
  readonly version: number;
}

/** Removes old entries of histories, after the writes that made them old have been answered. */
export class HistoryTrims {
  readonly #store: StoreContext;
  readonly #history: ResolvedHistory;
  readonly #waiting = new Map<string, Trim>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(store: StoreContext, history: ResolvedHistory) {
    this.#store = store;
    this.#history = history;
  }

  /** Starts a trim if one is due at the version that was written. */
  written(shadow: ShadowId, version: number): void {
    if (version % trimEvery !== 0 || version <= this.#history.keep) return;
    const text = shadowText(shadow);
    const waiting = this.#waiting.get(text);
    if (waiting === undefined && this.#waiting.size >= maxWaiting) return;
    this.#waiting.set(text, { shadow, version: Math.max(version, waiting?.version ?? 0) });
    this.#startNext();
  }

  /** Resolves once no trim is running or waiting. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #startNext(): void {
    if (this.#running.size >= maxRunning) return;
    for (const [text, trim] of this.#waiting) {
      // Two trims of one shadow would remove the same entries.
      if (this.#running.has(text)) continue;
      this.#waiting.delete(text);
      this.#running.set(
        text,
        this.#run(trim).finally(() => {
          this.#running.delete(text);
          this.#startNext();
        }),
      );
      return;
    }
  }

  /** The write is already stored, so a failure is only logged. The next trim removes the rest. */
  async #run({ shadow, version }: Trim): Promise<void> {
    // The response to the write is sent first, even if the backend is in this process.
    await new Promise((resolve) => void setImmediate(resolve));
    try {
      const call = beginCall(this.#store, {});
      for (let page = 0; page < maxPages; page++)
        if ((await trimPage(call, this.#history, shadow, version)) < pageSize) return;
    } catch (error) {
      if (isTablekeepError(error) && error.kind === "closed") return;
      this.#store.options.logger.warn("could not remove old versions of a shadow", { ...shadow, error });
    }
  }
}

/** Removes the oldest entries that are more than `keep` versions old; returns how many it found. */
async function trimPage(
  call: StoreCall,
  { table, keep }: ResolvedHistory,
  shadow: ShadowId,
  version: number,
): Promise<number> {
  const { clock: _clock, random: _random, ...request } = call.request();
  const { Items = [] } = await call.port.query(
    {
      TableName: table,
      KeyConditionExpression: "Shadow = :shadow AND Entry < :oldest",
      ExpressionAttributeValues: {
        ":shadow": { S: shadowText(shadow) },
        ":oldest": { S: entryKey(version - keep + 1) },
      },
      ProjectionExpression: "Shadow, Entry",
      Limit: pageSize,
    },
    request,
  );
  const deletes = Items.map((key: Item) => ({ table, delete: key }));
  if (deletes.length > 0) await batchWrite(call.port, deletes, call.request());
  return Items.length;
}
