/** A signal that aborts with others until it is released. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts the signal itself, and releases it. */
  abort(reason?: unknown): void;
  /** Ends the link: the signal no longer aborts with the others. */
  release(): void;
}

/** The linked signals of each source. A source has one listener for all of them: Node warns of a leak where it has more than ten. */
const linkedTo = new WeakMap<AbortSignal, Set<LinkedSignal>>();

/**
 * Returns a signal that aborts with the first of `sources` that does. Release or abort it when the work is done: unlike one made by
 * `AbortSignal.any`, it then leaves nothing behind at a source that lives long. Node keeps those (nodejs/node#55351, #64476).
 *
 * @example
 * const ended = linkSignals(options.signal);
 * await Promise.all(parts.map((part) => send(part, ended.signal))).finally(() => ended.abort());
 */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const own = new AbortController();
  const release = () => {
    for (const source of sources) if (source !== undefined) unlink(source, linked);
  };
  const abort = (reason?: unknown) => {
    release();
    own.abort(reason);
  };
  const linked: LinkedSignal = { signal: own.signal, abort, release };
  const aborted = sources.find((source) => source?.aborted === true);
  if (aborted !== undefined) own.abort(aborted.reason);
  else for (const source of sources) if (source !== undefined) link(source, linked);
  return linked;
}

function link(source: AbortSignal, linked: LinkedSignal): void {
  let all = linkedTo.get(source);
  if (all === undefined) {
    all = new Set();
    linkedTo.set(source, all);
  }
  if (all.size === 0) source.addEventListener("abort", onAbort);
  all.add(linked);
}

function unlink(source: AbortSignal, linked: LinkedSignal): void {
  const all = linkedTo.get(source);
  if (all?.delete(linked) && all.size === 0) source.removeEventListener("abort", onAbort);
}

function onAbort(this: AbortSignal): void {
  for (const linked of [...(linkedTo.get(this) ?? [])]) linked.abort(this.reason);
}
