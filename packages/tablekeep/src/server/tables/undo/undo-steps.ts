import { HttpError } from "../../http/http-route.ts";

/** One step of an undo. */
export interface UndoStep {
  /** Identifies what it changes. Steps with different keys may run concurrently; a step without a key runs alone. */
  readonly key?: string;
  /** The approximate number of bytes of memory that it occupies. */
  readonly bytes: number;
  /** Returns false if someone has changed the same thing since, which then stays as it is. Throws if the undo cannot continue. */
  run(signal: AbortSignal): Promise<boolean>;
}

/** The result of one request to undo. */
export interface UndoneSteps {
  readonly undone: number;
  /** Steps that were left out because someone has changed the same thing since. */
  readonly kept: number;
  /** Steps that follow with the next request. */
  readonly left: number;
}

interface UndoEntry {
  readonly table: string;
  readonly user: string | undefined;
  /** In the order of the writes. */
  readonly steps: UndoStep[];
  bytes: number;
  isBusy: boolean;
}

/** The limits of a log. */
export interface UndoLimits {
  readonly entries: number;
  /** Bytes of one change, and of all. */
  readonly entryBytes: number;
  readonly bytes: number;
}

/** Limits of a server. */
const undoLimits: UndoLimits = {
  entries: 100,
  entryBytes: 32 * 1024 * 1024,
  bytes: 64 * 1024 * 1024,
};

/** The number of steps of one request, and of those that run concurrently. */
const [stepsPerRequest, stepsAtOnce] = [1_000, 64];

/** Memory for a step, beside its data. */
const stepBytes = 200;

/** The changes that clients can undo, by ids that the clients choose. Kept in memory within limits; the oldest are dropped first. */
export class UndoLog {
  readonly #limits: UndoLimits;
  readonly #entries = new Map<string, UndoEntry>();
  #bytes = 0;

  constructor(limits: UndoLimits = undoLimits) {
    this.#limits = limits;
  }

  /** The maximum bytes of one change. */
  get entryBytes(): number {
    return this.#limits.entryBytes;
  }

  /** Throws if a change with this id cannot be added to. */
  check(id: string, table: string, user: string | undefined): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (entry.table !== table || entry.user !== user || entry.isBusy)
      throw new HttpError(409, `the id ${id} belongs to another change: choose another one`);
    if (entry.bytes > this.#limits.entryBytes) throw tooLarge(this.#limits.entryBytes);
  }

  /** Adds steps to a change, which begins with the first of them. Returns whether there is space for more. */
  add(id: string, table: string, user: string | undefined, steps: readonly UndoStep[]): boolean {
    if (steps.length === 0) return true;
    const entry = this.#entries.get(id) ?? { table, user, steps: [], bytes: 0, isBusy: false };
    for (const step of steps) {
      entry.steps.push(step);
      entry.bytes += step.bytes + stepBytes;
      this.#bytes += step.bytes + stepBytes;
    }
    this.#entries.set(id, entry);
    this.#trim(id);
    return entry.bytes <= this.#limits.entryBytes;
  }

  /** The table of a change. Throws if the change cannot be undone, or not by this user. */
  tableOf(id: string, user: string | undefined): string {
    return this.#find(id, user).table;
  }

  /** Undoes the last steps of a change. Those that fail, and those before them, stay in the log. */
  async undo(id: string, user: string | undefined, signal: AbortSignal): Promise<UndoneSteps> {
    const entry = this.#find(id, user);
    if (entry.isBusy) throw new HttpError(409, "this change is being undone");
    entry.isBusy = true;
    let [undone, kept] = [0, 0];
    try {
      while (entry.steps.length > 0 && undone + kept < stepsPerRequest) {
        const results = await runTogether(entry.steps, signal);
        for (const { step, result } of results) {
          if (result.status === "rejected") continue;
          this.#release(entry, step.bytes + stepBytes);
          if (result.value) undone++;
          else kept++;
        }
        const failed = results.find(({ result }) => result.status === "rejected")?.result;
        if (failed?.status === "rejected") throw failed.reason;
      }
    } finally {
      entry.isBusy = false;
      if (entry.steps.length === 0) this.#drop(id);
    }
    return { undone, kept, left: entry.steps.length };
  }

  #find(id: string, user: string | undefined): UndoEntry {
    const entry = this.#entries.get(id);
    if (entry !== undefined && entry.user === user) return entry;
    throw new HttpError(
      404,
      "this change cannot be undone any more: it has been undone, the server was restarted, or later changes needed the memory",
    );
  }

  #release(entry: UndoEntry, bytes: number): void {
    entry.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#release(entry, entry.bytes);
    this.#entries.delete(id);
  }

  /** Drops the oldest changes, except the one being added to and those being undone. */
  #trim(current: string): void {
    for (const [id, { isBusy }] of this.#entries) {
      if (this.#entries.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes) return;
      if (id !== current && !isBusy) this.#drop(id);
    }
  }
}

/** The change is too large to be kept for undo. */
export function tooLarge(bytes: number): HttpError {
  const size = `${Math.floor(bytes / 1024 / 1024)} MB`;
  return new HttpError(
    409,
    `this cannot be undone, because it changes more than ${size}: send it without undo`,
  );
}

/** Takes the last steps off the list, and runs them concurrently. Puts back those that fail. */
async function runTogether(steps: UndoStep[], signal: AbortSignal) {
  const together: UndoStep[] = [];
  const keys = new Set<string>();
  for (let step = steps.at(-1); step !== undefined && together.length < stepsAtOnce; step = steps.at(-1)) {
    const { key } = step;
    if (together.length > 0 && (key === undefined || keys.has(key))) break;
    together.push(step);
    steps.pop();
    if (key === undefined) break;
    keys.add(key);
  }
  const results = await Promise.allSettled(together.map((step) => step.run(signal)));
  const ended = together.map((step, at) => ({ step, result: results[at] as PromiseSettledResult<boolean> }));
  for (const { step, result } of ended.toReversed()) if (result.status === "rejected") steps.push(step);
  return ended;
}
