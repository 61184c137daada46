interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds on the clock. */
  readonly dur?: number;
  /** Microseconds of this thread's CPU. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The longest task of a trace, in milliseconds. */
export interface LongestTask {
  /** By the thread's CPU: the clock also counts the time in which a busy machine ran something else. */
  readonly cpuMs: number;
  readonly clockMs: number;
}

/** The longest task of the pages' main threads, as a trace of Chromium has them. */
export function longestTask(trace: Buffer): LongestTask {
  const { traceEvents } = JSON.parse(trace.toString("utf8")) as { traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(threadOf),
  );
  const tasks = traceEvents.filter(
    (event) => event.ph === "X" && event.name.endsWith("RunTask") && mainThreads.has(threadOf(event)),
  );
  if (!tasks.some(({ tdur }) => tdur !== undefined)) throw new Error("the trace has no tasks of a page");
  const longest = (times: readonly number[]) => times.reduce((most, each) => Math.max(most, each), 0) / 1000;
  return {
    cpuMs: longest(tasks.map(({ tdur = 0 }) => tdur)),
    clockMs: longest(tasks.map(({ dur = 0 }) => dur)),
  };
}
