import {
  type Clock,
  type Dispatch,
  type DynamoPort,
  dispatchTo,
  mayWrite,
  type OperationName,
  type OutputOf,
  systemClock,
  tablesOf,
  wrapPort,
} from "@tablekeep/core";
import { knownOptions } from "../base/testkit-error.ts";
import { keyedChance, seededRandom } from "../random/seeded-random.ts";
import { changeMemory } from "./change-memory.ts";
import { canHit, injectionOf } from "./fault-injections.ts";
import type { Fault, FaultKind, FaultSchedule, RequestRange } from "./fault-schedule.ts";
import type { FaultWorld, FaultyRequest, Send } from "./faulty-request.ts";
import { fromTrueStart } from "./inject-page-cut.ts";
import { questionOf } from "./inject-stale-read.ts";
import { holdBack, isHeldBack } from "./inject-unprocessed.ts";
import { recordChanges } from "./record-changes.ts";
import { parseSchedule, printFault, printSchedule } from "./schedule-text.ts";
import { tableKeysFrom } from "./table-keys.ts";

export interface FaultyPortOptions {
  /** Measures delays and deadlines. @default the machine's clock */
  readonly clock?: Clock;
}

/** One fault that hit one request. */
export interface InjectedFault {
  /** The number of the request, from 1. */
  readonly request: number;
  readonly operation: OperationName;
  readonly tables: readonly string[];
  readonly kind: FaultKind;
  /** Its position in the schedule. */
  readonly fault: number;
}

/** A port with faults. Closing it closes the port beneath. */
export interface FaultyPort extends DynamoPort {
  /** The schedule that it follows, as one line to print and to replay. */
  readonly schedule: string;
  /** The faults injected so far, in order. */
  readonly log: readonly InjectedFault[];
  /**
   * Returns the number of requests so far, of one operation or of all.
   *
   * @example
   * expect(faulty.requestCount("PutItem")).toBe(2);
   */
  requestCount(operation?: OperationName): number;
  /**
   * Whether the port beneath is working on a request; a fake clock stands still meanwhile.
   *
   * @example
   * await clock.autoAdvance(work, { busy: () => faulty.busy() });
   */
  busy(): boolean;
  /**
   * Resolves once the requests that outlived their callers have been applied.
   *
   * @example
   * await faulty.settled();
   */
  settled(): Promise<void>;
}

/**
 * Returns `port` with the faults of `schedule`, which may also be its printed line. Reads and table descriptions that the
 * faults themselves need go straight to `port` and are not counted.
 *
 * @example
 * const faulty = faultyPort(port, "seed=7 faults=[{nth:2,op:PutItem,kind:lost-after-apply}]");
 */
export function faultyPort(
  port: DynamoPort,
  schedule: FaultSchedule | string,
  options: FaultyPortOptions = {},
): FaultyPort {
  knownOptions(options, ["clock"]);
  const line = typeof schedule === "string" ? schedule : printSchedule(schedule);
  const { seed, faults } = parseSchedule(line);
  const counts = new Map<OperationName, number>();
  const log: InjectedFault[] = [];
  const stragglers = new Set<Promise<unknown>>();
  const inner = countedDispatch(port);
  const world = makeWorld(inner.dispatch, options.clock ?? systemClock, stragglers);
  const strike = strikes(faults, seed, log);
  const remembers = faults.some((fault) => fault.kind === "stale");
  let total = 0;

  const plain: Send = (each) => inner.dispatch(each.operation, each.input as never, each.options);
  const recorded = remembers ? remembering(plain, world) : plain;
  const send: Send = (each) => (isHeldBack(each, world) ? holdBack(each, recorded, world) : recorded(each));
  const faulty = wrapPort(port, (operation, input, callOptions) => {
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    const arrived = {
      number: ++total,
      operation,
      input,
      options: callOptions,
      write: mayWrite(operation, input),
    };
    if (operation.endsWith("Table"))
      for (const table of tablesOf(operation, input)) world.tableKeys.forget(table);
    const request = fromTrueStart(arrived, world);
    return strike(request, send, world) as Promise<OutputOf<typeof operation>>;
  });
  return Object.assign(faulty, {
    schedule: printSchedule({ seed, faults }),
    log,
    requestCount: (operation?: OperationName) => (operation ? (counts.get(operation) ?? 0) : total),
    busy: () => inner.underWay() > 0,
    settled: async () => {
      while (stragglers.size > 0) await Promise.allSettled(stragglers);
    },
  });
}

/** The port as one function that counts its calls in flight. */
function countedDispatch(port: DynamoPort): { dispatch: Dispatch; underWay: () => number } {
  const direct = dispatchTo(port);
  let count = 0;
  const dispatch: Dispatch = (operation, input, options) => {
    // Counted only once it is in flight: a port may also throw at once.
    const answer = direct(operation, input, options);
    count++;
    return answer.finally(() => {
      count--;
    });
  };
  return { dispatch, underWay: () => count };
}

function makeWorld(direct: Dispatch, clock: Clock, stragglers: Set<Promise<unknown>>): FaultWorld {
  return {
    clock,
    direct,
    tableKeys: tableKeysFrom(direct),
    changes: changeMemory(),
    heldItems: new Map(),
    pageStarts: new Map(),
    track(work) {
      const quiet: Promise<unknown> = work.then(
        () => stragglers.delete(quiet),
        () => stragglers.delete(quiet),
      );
      stragglers.add(quiet);
    },
  };
}

/** Sends a request through the faults that hit it, first of the schedule outermost. */
function strikes(faults: readonly Fault[], seed: number, log: InjectedFault[]) {
  const states = faults.map((fault) => {
    const key = `${seed} ${printFault(fault)}`;
    return { fault, key, chance: keyedChance(key), seen: 0, hits: 0 };
  });
  return (request: FaultyRequest, send: Send, world: FaultWorld): Promise<object> => {
    const tables = tablesOf(request.operation, request.input);
    const hitting = states.flatMap((state, index) => {
      const { fault, key } = state;
      if (!allows(fault, request, tables)) return [];
      const hit =
        within(fault.nth, ++state.seen) &&
        within(fault.at, request.number) &&
        state.hits < (fault.times ?? Number.POSITIVE_INFINITY) &&
        state.chance(request.number) < (fault.p ?? 1);
      if (!hit) return [];
      state.hits++;
      log.push({
        request: request.number,
        operation: request.operation,
        tables,
        kind: fault.kind,
        fault: index,
      });
      return [{ fault, random: () => seededRandom(`${key} ${request.number}`) }];
    });
    return hitting.reduceRight<Send>(
      (next, { fault, random }) =>
        (each) =>
          injectionOf(fault)(each, next, fault, world, random),
      send,
    )(request);
  };
}

function allows(fault: Fault, request: FaultyRequest, tables: readonly string[]): boolean {
  if (fault.op !== undefined && fault.op !== request.operation) return false;
  if (fault.table !== undefined && !tables.includes(fault.table)) return false;
  return canHit(fault, request);
}

function within(range: RequestRange | undefined, number: number): boolean {
  if (range === undefined) return true;
  return typeof range === "number" ? number === range : number >= range[0] && number <= range[1];
}

/** Keeps the data that stale reads need. */
function remembering(send: Send, world: FaultWorld): Send {
  return async (request) => {
    if (request.write) return recordChanges(request, send, world);
    const before = world.changes.writes();
    const answer = await send(request);
    if (request.operation === "Query" || request.operation === "Scan") {
      world.changes.rememberAnswer(questionOf(request), before, answer);
    }
    return answer;
  };
}
