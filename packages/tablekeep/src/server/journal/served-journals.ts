import {
  type Journal,
  type JournalReader,
  journalTableSpec,
  openJournalReader,
  openSnapshots,
  type Snapshots,
  snapshotTableSpec,
} from "@tablekeep/journal";
import { type DiscoveredJournal, discoverJournals } from "@tablekeep/journal/tools";
import type { Backend } from "../backend/open-backend.ts";
import { HttpError } from "../http/http-route.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { JournalConfig } from "../options/store-configs.ts";
import { EventWriters } from "./event-writers.ts";

/** An open journal of the server's configuration. */
export interface ConfiguredJournal {
  readonly config: JournalConfig;
  readonly journal: Journal;
  readonly snapshots: Snapshots;
}

/** A journal of the API. */
export interface ServedJournal {
  readonly config: JournalConfig;
  readonly journal: JournalReader;
  readonly snapshots: Snapshots;
  /** Undefined for a discovered journal, which is read-only. */
  readonly writers: EventWriters | undefined;
}

/** The table of a journal's snapshots. */
export function snapshotTableOf(served: Pick<ServedJournal, "config" | "journal">): string {
  const { snapshotTable } = served.config;
  const isBeside = served.journal.layout === "packed" && snapshotTable === undefined;
  return isBeside ? tableOf(served) : snapshotTableSpec(snapshotTable).name;
}

/** The table of a journal. */
export function tableOf({ config }: Pick<ServedJournal, "config">): string {
  return journalTableSpec(config.journal).name;
}

type Common = Pick<ResolvedServerOptions, "clock" | "logger">;

/**
 * The journals of a server by their names: those of its configuration, and in a folder also those that any program has
 * written there. Discovered journals are read-only, because the other options of their writers are unknown.
 */
export class ServedJournals {
  readonly #backend: Pick<Backend, "port" | "engine">;
  readonly #common: Common;
  readonly #configured: ReadonlyMap<string, ServedJournal & ConfiguredJournal>;
  readonly #discovered = new Map<string, Promise<ServedJournal>>();

  constructor(
    configured: readonly ConfiguredJournal[],
    backend: Pick<Backend, "port" | "engine">,
    common: Common,
  ) {
    this.#backend = backend;
    this.#common = common;
    this.#configured = new Map(
      configured.map((each) => [each.config.name, { ...each, writers: new EventWriters(each.journal) }]),
    );
  }

  /** All journals: first the configured ones, then those that were discovered, by table. */
  async list(signal: AbortSignal): Promise<readonly ServedJournal[]> {
    const found = await this.#discover(signal);
    const opened = await Promise.all(found.map(([name, journal]) => this.#open(name, journal)));
    return [...this.#configured.values(), ...opened];
  }

  /** The journal with a name. Throws if there is none. */
  async named(name: string, signal: AbortSignal): Promise<ServedJournal> {
    const configured = this.#configured.get(name);
    if (configured !== undefined) return configured;
    const [, found] = (await this.#discover(signal)).find(([each]) => each === name) ?? [];
    if (found === undefined) throw new HttpError(404, "no such journal");
    return this.#open(name, found);
  }

  async close(): Promise<void> {
    const discovered = await Promise.allSettled(this.#discovered.values());
    for (const each of discovered) if (each.status === "fulfilled") await each.value.snapshots.close();
    for (const { journal, snapshots } of this.#configured.values()) {
      await snapshots.close();
      await journal.close();
    }
  }

  /** A server that is configured without journals has none; on DynamoDB it reads only its own tables. */
  async #discover(signal: AbortSignal): Promise<readonly (readonly [string, DiscoveredJournal])[]> {
    const { port, engine } = this.#backend;
    if (engine === undefined || this.#configured.size === 0) return [];
    const own = new Set([...this.#configured.values()].map(tableOf));
    const { journals } = await discoverJournals(port, { signal });
    return journals.flatMap((journal) => {
      const { table = "" } = journal;
      if (own.has(table)) return [];
      return [[this.#configured.has(table) ? `table ${table}` : table, journal] as const];
    });
  }

  #open(name: string, journal: DiscoveredJournal): Promise<ServedJournal> {
    // A table may be deleted and created again in another layout.
    const key = JSON.stringify([name, journal]);
    const opening = this.#discovered.get(key) ?? this.#openReader(name, journal);
    this.#discovered.set(key, opening);
    opening.catch(() => this.#discovered.delete(key));
    return opening;
  }

  async #openReader(name: string, journal: DiscoveredJournal): Promise<ServedJournal> {
    const { port } = this.#backend;
    const reader = await openJournalReader(port, { ...this.#common, ...journal });
    const snapshots = await openSnapshots(port, { ...this.#common, journal: reader });
    return { config: { name, journal }, journal: reader, snapshots, writers: undefined };
  }
}
