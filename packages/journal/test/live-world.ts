import { type DynamoPort, sleep, wrapPort } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { type FakeClock, fakeClock } from "@tablekeep/testkit";
import type { ReplayOptions } from "../src/context/journal.ts";
import { type Journal, type JournalOptions, openJournal } from "../src/index.ts";
import { engineWith } from "./journal-world.ts";

/** Gets in the way of a request: what it throws is the answer. */
export type Interference = (operation: string, input: object) => Promise<void> | void;

/** A journal whose live queries wait in the test's time. */
export interface LiveWorld {
  readonly engine: Engine;
  /** Without interference. */
  readonly journal: Journal;
  /** With interference, and with the logger. */
  readonly followed: Journal;
  readonly clock: FakeClock;
  /** What was logged. */
  readonly warnings: string[];
  /** From now on; undefined for none. */
  interfere(how: Interference | undefined): void;
  /** Runs what waits for this clock. */
  inTime<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Returns the results of a live query in `ms`, while `meanwhile` happens at the given milliseconds. */
  follow(id: string, options: FollowOptions, ms: number, ...meanwhile: readonly Moment[]): Promise<Followed>;
}

/** How a test follows. */
export interface FollowOptions extends Omit<ReplayOptions, "signal"> {
  /** Called with each event before the next one is asked for. */
  readonly each?: (sequenceNr: number, stop: AbortController) => Promise<void> | void;
}

export type Moment = readonly [atMs: number, what: () => Promise<void> | void];

/** The result of following. */
export interface Followed {
  readonly given: readonly number[];
  /** Whether it ended before it was stopped. */
  readonly ended: boolean;
  /** The error. */
  readonly error?: unknown;
}

export async function liveWorld(options: JournalOptions): Promise<LiveWorld> {
  const table = { ...options, table: "events" };
  const engine = await engineWith(table);
  const clock = fakeClock();
  const warnings: string[] = [];
  let interference: Interference | undefined;
  let underWay = 0;
  const counted = (port: DynamoPort): DynamoPort =>
    wrapPort(port, async (operation, input, call, next) => {
      underWay++;
      try {
        return await next(operation, input, call);
      } finally {
        underWay--;
      }
    });
  const calm = counted(engine);
  const faulty = wrapPort(calm, async (operation, input, call, next) => {
    await interference?.(operation, input);
    return next(operation, input, call);
  });
  const warn = (message: string) => void warnings.push(message);
  const logger = { debug() {}, info() {}, warn, error: warn };
  const busy = () => underWay > 0;
  const journal = await openJournal(calm, { ...table, clock });
  const followed = await openJournal(faulty, { ...table, clock, logger });

  const inTime: LiveWorld["inTime"] = (work) => clock.autoAdvance(work, { busy });
  const follow: LiveWorld["follow"] = (...how) => inTime(() => followFor(clock, followed, ...how));
  const interfere = (how: Interference | undefined) => {
    interference = how;
  };
  return { engine, journal, followed, clock, warnings, interfere, inTime, follow };
}

async function followFor(
  clock: FakeClock,
  journal: Journal,
  id: string,
  { each, ...query }: FollowOptions,
  ms: number,
  ...meanwhile: readonly Moment[]
): Promise<Followed> {
  const stop = new AbortController();
  const given: number[] = [];
  const follow = async () => {
    for await (const { sequenceNr } of journal.eventsById(id, { ...query, signal: stop.signal })) {
      given.push(sequenceNr);
      await each?.(sequenceNr, stop);
    }
  };
  const following = follow().then(
    () => ({ ended: !stop.signal.aborted }),
    (error: unknown) => ({ ended: !stop.signal.aborted, error }),
  );
  const story = meanwhile.map(async ([atMs, what]) => {
    await sleep(clock, atMs);
    await what();
  });
  const timeIsUp = sleep(clock, ms).then(() => stop.abort());
  const [end] = await Promise.all([following, timeIsUp, ...story]);
  return { given, ...end };
}
