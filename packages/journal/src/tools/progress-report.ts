import type { ToolOptions } from "./tool-options.ts";

/** Rows between two reports. */
const every = 256;

/** Counts what a tool does, and tells whoever wants to know. */
export class ProgressReport {
  readonly #onProgress: ToolOptions["onProgress"];
  #told = 0;
  ids = 0;
  ofIds: number | undefined;
  events = 0;

  constructor({ onProgress }: ToolOptions) {
    this.#onProgress = onProgress;
  }

  /** One more row of an id. */
  row(persistenceId: string, count = 1): void {
    this.events += count;
    if (this.events - this.#told >= every) this.#tell(persistenceId);
  }

  /** One id is done. */
  id(persistenceId: string): void {
    this.ids++;
    this.#tell(persistenceId);
  }

  #tell(persistenceId: string): void {
    this.#told = this.events;
    this.#onProgress?.({ ids: this.ids, ofIds: this.ofIds, events: this.events, persistenceId });
  }
}
