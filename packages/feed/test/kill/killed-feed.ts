import { setTimeout as pause } from "node:timers/promises";
import { ensureTable, httpPort } from "@tablekeep/client";
import { journalTableSpec, type LayoutName, openJournal } from "@tablekeep/journal";
import { seededRandom } from "@tablekeep/testkit";
import { openFeed } from "../../src/index.ts";
import { checkFeedHistory, type FeedReading, type SeenFeedEvent } from "../../src/testing/index.ts";
import {
  type ChildArguments,
  type EndedLine,
  type FeedChild,
  type ReadLine,
  startFeedChild,
  type WrittenLine,
} from "./start-feed-child.ts";

/** Where a feed is killed, and how often. */
export interface KilledFeedOptions {
  readonly script: string;
  readonly endpoint: string;
  readonly table: string;
  readonly layout: LayoutName;
  readonly kills: number;
}

/** The result of killing the processes of a feed. */
export interface KilledFeed {
  readonly problems: readonly string[];
  readonly acknowledged: number;
}

const roles = ["write", "write", "sequence", "sequence", "read"] as const;
const ids = Array.from({ length: 7 }, (_unused, at) => `thing|${at + 1}`);

/**
 * Two processes write, two sequence, and one reads. Again and again one of them is killed and another takes its place. At the end every
 * acknowledged event must be in the feed exactly once, in order, and the reader must have seen the same.
 */
export async function runKilledFeed(options: KilledFeedOptions): Promise<KilledFeed> {
  const { endpoint, table, layout, kills } = options;
  await using port = httpPort({
    endpoint,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const journalOptions = { table, layout };
  await ensureTable(port, journalTableSpec(journalOptions));
  const journal = await openJournal(port, journalOptions);
  const feed = await openFeed<string>(port, { journal: journalOptions, slices: 4 });
  // A feed is created by its first run.
  await feed.catchUp();
  const children = new Children(options);
  await children.killAtRandom(kills);
  await children.stopWriters();
  await feed.catchUp();
  const written: { persistenceId: string; text: string }[] = [];
  for (const persistenceId of ids)
    for await (const { payload } of journal.replay(persistenceId))
      written.push({ persistenceId, text: String(payload) });
  await children.readUntil(written.length);
  await children.stop();
  const once: SeenFeedEvent[] = [];
  for await (const event of feed.read()) once.push({ ...event, text: event.payload });
  const { findings } = await feed.verify();
  const { readings, acknowledged } = children;
  const history = {
    // Also those whose acknowledgment was lost with their writer.
    acknowledged: written,
    readers: [
      { reader: "live", isComplete: true, readings },
      { reader: "once", isComplete: true, readings: [{ from: "start", events: once }] },
    ],
  };
  const names = new Set(written.map(({ text }) => text));
  const problems = [
    ...[...acknowledged].filter((name) => !names.has(name)).map((name) => `${name}: not in the journal`),
    ...checkFeedHistory(history).map(({ rule, actor, message }) => `${rule} ${actor}: ${message}`),
    ...once.filter(({ text }) => !names.has(text)).map(({ text }) => `${text}: seen, but not written`),
    ...once.filter(({ late }) => late).map(({ text }) => `${text}: late`),
    ...findings.map((finding) => JSON.stringify(finding)),
  ];
  return { problems, acknowledged: acknowledged.size };
}

/** The processes, each of which can be replaced. */
class Children {
  /** What each reader has read, one after the other. */
  readonly readings: (FeedReading & { readonly events: SeenFeedEvent[] })[] = [];
  readonly #seen = new Set<string>();
  readonly acknowledged = new Set<string>();
  readonly #options: KilledFeedOptions;
  readonly #random = seededRandom("killed feed");
  readonly #running: FeedChild[];
  #started = 0;
  #failure: Error | undefined;
  #onLine: () => void = () => undefined;

  constructor(options: KilledFeedOptions) {
    this.#options = options;
    this.#running = roles.map((role) => this.#start(role));
  }

  #start(role: ChildArguments["role"]): FeedChild {
    const { script, endpoint, table, layout } = this.#options;
    const seed = `${role} ${++this.#started}`;
    const from = this.readings.flatMap(({ events }) => events).at(-1)?.position ?? "start";
    const events: SeenFeedEvent[] = [];
    if (role === "read") this.readings.push({ from, events });
    // Leases are short, so that two sequencers often run at the same time.
    const leaseMs = this.#random.int(10, 400);
    const onLine = (line: unknown) => {
      const { ended } = line as Partial<EndedLine>;
      if (ended !== undefined) {
        this.#failure ??= new Error(`${seed}: ${ended}`);
        return this.#onLine();
      }
      if (role === "read") {
        const { name: text, ...event } = line as ReadLine;
        events.push({ ...event, text });
        this.#seen.add(text);
      }
      if (role === "write") for (const name of (line as WrittenLine).names) this.acknowledged.add(name);
      this.#onLine();
    };
    const args = { role, endpoint, table, layout, seed, from, leaseMs };
    return startFeedChild(script, args, onLine, () => {
      this.#failure ??= new Error(`a process ended by itself: ${seed}`);
      this.#onLine();
    });
  }

  /** Counts events instead of time, so that a slow machine also gets some work done. */
  async #until(isDone: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#onLine = () => {
        if (this.#failure !== undefined) reject(this.#failure);
        if (isDone()) resolve();
      };
      this.#onLine();
    });
  }

  async killAtRandom(kills: number): Promise<void> {
    for (let kill = 0; kill < kills; kill++) {
      const written = this.acknowledged.size + this.#random.int(1, 40);
      const read = this.#seen.size + this.#random.int(0, 20);
      await this.#until(() => this.acknowledged.size >= written && this.#seen.size >= read);
      await pause(this.#random.int(0, 20));
      const at = this.#random.int(0, roles.length - 1);
      await this.#running[at]?.kill();
      this.#running[at] = this.#start(roles[at] ?? "read");
    }
  }

  async stopWriters(): Promise<void> {
    await Promise.all(this.#running.splice(0, 2).map((child) => child.kill()));
  }

  /** Resolves once the reader has seen this many events. */
  async readUntil(count: number): Promise<void> {
    await this.#until(() => this.#seen.size >= count);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((child) => child.kill()));
  }
}
