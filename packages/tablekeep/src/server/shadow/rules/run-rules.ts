import { setMaxListeners } from "node:events";
import { type Clock, type DynamoPort, type Logger, sleep } from "@tablekeep/core";
import { ensureStream, isFeedError } from "@tablekeep/feed";
import {
  type AwsShadows,
  type ChangeFeed,
  changeFeed,
  type ShadowChange,
  type ShadowManager,
} from "@tablekeep/shadow";
import { counter, type Metric, readMetric } from "../../metrics/metrics.ts";
import type { ShadowRule } from "../../setting-files/shadow-rules.ts";
import { PolledChanges } from "../polled-changes.ts";
import { StatusReporter } from "../service-status.ts";
import { StreamChanges } from "../stream-changes.ts";
import { whileTableLeased } from "../table-lease.ts";
import { RuleDelivery, type RuleStatus } from "./rule-delivery.ts";
import { type RuleEvent, ruleMatcher } from "./rule-events.ts";
import { type ParkedPage, type ParkedPageRequest, RuleItems } from "./rule-items.ts";
import { type RuleLimits, ruleLimits } from "./rule-limits.ts";
import { RuleVersions } from "./rule-versions.ts";

/** Dependencies of the rules. */
export interface RunRulesOptions {
  readonly rules: readonly ShadowRule[];
  readonly port: DynamoPort;
  readonly table: string;
  readonly manager: Pick<ShadowManager, "policy" | "search" | "get">;
  readonly shadows: Pick<AwsShadows, "documentsOf">;
  /** Whether other servers may use the same table. */
  readonly isShared: boolean;
  /** Whether to enable a stream on a table without one. */
  readonly createStream: boolean;
  /** Milliseconds between two reads of a table without a stream. @default no polling: the table must have a stream */
  readonly pollMs?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: Partial<RuleLimits>;
  /** Time until another server takes over from a killed one, in milliseconds. @default 15,000 */
  readonly leaseMs?: number;
}

/** The pause after an error, in milliseconds. */
const retryMs = 5_000;

/** The source of changes: the stream of the table, or the table itself. */
type RuleChanges = Pick<StreamChanges | PolledChanges, "start" | "close">;

/**
 * Runs the rules of a store: reads the stream of its table, or the whole table repeatedly, stores the matching events in the queues of
 * the rules, then its position, and delivers the queues. Of several servers on one table, one at a time does this.
 */
export class RunningRules {
  readonly rules: readonly ShadowRule[];
  readonly metrics: readonly Metric[];
  readonly #options: RunRulesOptions;
  readonly #match: (change: ShadowChange) => RuleEvent[];
  readonly #outcomes = counter(
    "tablekeep_shadow_rule_events_total",
    "Events of shadow rules: delivered, failed attempts, parked, dropped.",
    ["rule", "outcome"],
  );
  readonly #status: StatusReporter;
  readonly #end = new AbortController();
  #deliveries: ReadonlyMap<string, RuleDelivery> | undefined;
  #running: Promise<void> = Promise.resolve();
  #isFailing = false;
  #isPolled = false;

  constructor(options: RunRulesOptions) {
    this.#options = options;
    this.rules = options.rules;
    this.#match = ruleMatcher(options.rules, options.shadows);
    const { port, table, clock, logger } = options;
    this.#status = new StatusReporter({ port, table, service: "shadow rules", clock, logger });
    const queued = () =>
      [...(this.#deliveries ?? [])].map(([rule, delivery]) => ({
        labels: { rule },
        value: delivery.status().queued,
      }));
    const help = "Events of shadow rules that wait to be delivered by this server.";
    const waiting = readMetric("gauge", "tablekeep_shadow_rule_queue", help, queued);
    this.metrics = [this.#outcomes, waiting];
  }

  /** Throws if the table has no suitable stream, and is not polled. */
  async start(): Promise<void> {
    const { rules, port, table, isShared, leaseMs = 15_000, clock, logger } = this.#options;
    if (rules.length === 0) return;
    const { signal } = this.#end;
    this.#isPolled = await this.#needsPolling();
    const key = { PK: { S: "RULES#lease" }, SK: { S: "lease" } };
    const lead = (leading: AbortSignal) => this.#leadAgain(leading);
    this.#running = isShared
      ? whileTableLeased({ port, table, key, leaseMs, clock, logger }, signal, lead)
      : lead(signal);
  }

  /** Whether the table has no stream, and is polled instead. */
  async #needsPolling(): Promise<boolean> {
    const { port, table, pollMs, createStream, clock } = this.#options;
    const { signal } = this.#end;
    if (createStream && pollMs === undefined)
      await ensureStream(port, table, "NEW_AND_OLD_IMAGES", { clock, signal });
    try {
      await this.#streamed(
        changeFeed(() => {}),
        async () => {},
      ).check();
      return false;
    } catch (error) {
      if (pollMs === undefined || !isFeedError(error, "FEED_STREAM_MISSING")) throw error;
      return true;
    }
  }

  async close(): Promise<void> {
    this.#end.abort(new Error("the server is stopping"));
    await this.#running;
    await this.#status.close();
  }

  /** Whether this server runs the rules. */
  get isLeading(): boolean {
    return this.#deliveries !== undefined;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** The queue of a rule; undefined if another server runs the rules. */
  statusOf(rule: string): RuleStatus | undefined {
    return this.#deliveries?.get(rule)?.status();
  }

  /** A page of the parked events of a rule. */
  parked(rule: string, page: ParkedPageRequest, signal: AbortSignal): Promise<ParkedPage> {
    return this.#itemsOf(rule).parkedPage(page, signal);
  }

  /** Moves the parked events of a rule back to its queue; undefined if another server runs the rules. */
  async retry(rule: string, signal: AbortSignal): Promise<number | undefined> {
    return this.#deliveries?.get(rule)?.retry(signal);
  }

  /** Leads until the signal aborts, and starts again after an error. Never rejects. */
  async #leadAgain(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#lead(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#isFailing = true;
        logger.error("could not run the shadow rules; trying again", { error });
        await sleep(clock, retryMs, signal, { background: true }).catch(() => undefined);
      }
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    // Every request of every rule adds a listener.
    setMaxListeners(0, signal);
    const deliveries = new Map<string, RuleDelivery>();
    for (const rule of this.rules) {
      const delivery = this.#deliveryOf(rule);
      await delivery.load(signal);
      deliveries.set(rule.name, delivery);
    }
    const matched: RuleEvent[] = [];
    const changes = this.#changes(
      (events) => matched.push(...events),
      () => this.#store(matched, deliveries, signal),
    );
    const close = () => void changes.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      await changes.start();
      this.#deliveries = deliveries;
      this.#isFailing = false;
      this.#report();
      await Promise.all([...deliveries.values()].map((delivery) => delivery.run(signal)));
    } finally {
      this.#deliveries = undefined;
      signal.removeEventListener("abort", close);
      await changes.close();
    }
  }

  #changes(onEvents: (events: readonly RuleEvent[]) => void, settled: () => Promise<void>): RuleChanges {
    const { port, table, manager, pollMs, clock, logger } = this.#options;
    const feed = changeFeed((error) =>
      logger.error("could not match a shadow change with the rules", { error }),
    );
    feed.listen((change) => onEvents(this.#match(change)));
    if (!this.#isPolled || pollMs === undefined) return this.#streamed(feed, settled);
    const versions = new RuleVersions({ port, table, clock, settled });
    const onRead = (error?: unknown) => {
      this.#isFailing = error !== undefined;
    };
    return new PolledChanges(feed, { manager, everyMs: pollMs, versions, onRead, clock, logger });
  }

  #streamed(feed: ChangeFeed, settled: () => Promise<void>): StreamChanges {
    const { port, table, manager, clock, logger } = this.#options;
    const position = "RULES#position";
    const shared = { port, table, manager, clock, logger };
    return new StreamChanges(feed, { ...shared, position, createStream: false, settled });
  }

  /** Stores events in the queues, and retries until it succeeds. The position is stored only after that. */
  async #store(
    matched: RuleEvent[],
    deliveries: ReadonlyMap<string, RuleDelivery>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, logger } = this.#options;
    while (matched.length > 0) {
      signal.throwIfAborted();
      const some = matched.slice(0, 25);
      try {
        for (const [rule, delivery] of deliveries)
          await delivery.add(some.filter((event) => event.rule === rule));
        matched.splice(0, some.length);
        this.#report();
      } catch (error) {
        logger.warn("could not store events of shadow rules; trying again", { error });
        await sleep(clock, 1_000, signal, { background: true }).catch(() => undefined);
      }
    }
  }

  #deliveryOf(rule: ShadowRule): RuleDelivery {
    const { clock, logger, limits } = this.#options;
    return new RuleDelivery({
      rule,
      items: this.#itemsOf(rule.name),
      limits: { ...ruleLimits, ...limits },
      clock,
      logger,
      onOutcome: (outcome) => {
        this.#outcomes.count(rule.name, outcome);
        this.#report();
      },
    });
  }

  /** Stores the lengths of the queues for `tablekeep status`. */
  #report(): void {
    this.#status.report(() =>
      [...(this.#deliveries ?? [])].map(([rule, delivery]) => {
        const { queued, parked, dropped, lastError } = delivery.status();
        const lost = dropped > 0 ? `, ${dropped} dropped` : "";
        const error = lastError === undefined ? "" : `, last error: ${lastError}`;
        return `${rule}: ${queued} queued, ${parked} parked${lost}${error}`;
      }),
    );
  }

  #itemsOf(rule: string): RuleItems {
    const { port, table, clock } = this.#options;
    return new RuleItems({ port, table, rule, clock });
  }
}
