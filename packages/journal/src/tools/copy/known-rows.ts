import type { ReplayRange } from "../../replay/replay-rows.ts";
import type { EventRow } from "../../rows/event-row.ts";
import type { Tool } from "../open-tool.ts";
import { copyRefused } from "./copy-errors.ts";
import { liveWrites } from "./live-writes.ts";
import { isPlaceholder, isSameEvent } from "./placeholder.ts";

/** The events that the target has already, read in step with those of the source. */
export class KnownRows {
  readonly #tool: Tool;
  readonly #persistenceId: string;
  readonly #range: ReplayRange;
  #rows: AsyncGenerator<EventRow, void, undefined> | undefined;

  constructor(tool: Tool, persistenceId: string, range: ReplayRange) {
    this.#tool = tool;
    this.#persistenceId = persistenceId;
    this.#range = range;
  }

  /** Throws unless exactly the events of a write are stored. */
  async compare(write: readonly EventRow[]): Promise<void> {
    for (const row of write) {
      if (row.sequenceNr < this.#range.low) continue;
      this.#rows ??= this.#from(row.sequenceNr);
      const { value: known } = await this.#rows.next();
      if (known !== undefined && isSameEvent(known, row)) continue;
      const { sequenceNr } = row;
      throw copyRefused(
        this.#persistenceId,
        sequenceNr,
        `the target already has a different event ${sequenceNr}`,
      );
    }
  }

  async close(): Promise<void> {
    await this.#rows?.return();
  }

  /** A source may begin in the middle: the second part of an id in an export that was resumed. */
  #from(from: number): AsyncGenerator<EventRow, void, undefined> {
    const { context, call } = this.#tool;
    return rowsOf(
      liveWrites(context, this.#persistenceId, { ...this.#range, from }, { ...call, filter: "off" }),
    );
  }
}

async function* rowsOf(
  writes: AsyncIterable<readonly EventRow[]>,
): AsyncGenerator<EventRow, void, undefined> {
  for await (const write of writes) for (const row of write) if (!isPlaceholder(row)) yield row;
}
