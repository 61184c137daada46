import { logged, maxItemBytes } from "@tablekeep/client";
import {
  type CallOptions,
  checkPort,
  type DynamoPort,
  optionCheck,
  silentLogger,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { createCodecs } from "../codecs/create-codecs.ts";
import { buildContext } from "../context/build-context.ts";
import { checkPersistenceId, checkSequenceNr } from "../context/call-checks.ts";
import { remember } from "../context/opened.ts";
import { checkOptions, optionInvalid } from "../errors/journal-error.ts";
import { findLayout } from "../settings/check-settings.ts";
import { backgroundCleaning, type Cleaning } from "./background-cleaning.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { deleteButNewest, deleteOne, deleteWithin } from "./delete-snapshots.ts";
import { boundsOf, headKeyPages } from "./find-heads.ts";
import { loadSnapshot } from "./load-snapshot.ts";
import { saveSnapshot } from "./save-snapshot.ts";
import type { SnapshotContext } from "./snapshot-context.ts";
import { snapshotKeys, snapshotKeysBesideEvents } from "./snapshot-keys.ts";
import {
  snapshotCallChecks as checks,
  journalOptionsOf,
  resolveSnapshotsOptions,
  type SnapshotsOptions,
} from "./snapshot-options.ts";
import { explainingPort } from "./snapshot-table.ts";
import {
  defaultSnapshotTable,
  type SnapshotCriteria,
  type SnapshotMetadata,
  type Snapshots,
} from "./snapshots.ts";

/**
 * Opens the snapshots of one journal. Those of a packed journal are stored beside its events; those of others, and those that
 * are opened without a journal, in a table that is that of {@link snapshotTableSpec} and must be there when it is first used.
 * Sends nothing, unless it needs the layout of a journal that is given by its options. The port stays the caller's.
 *
 * @example
 * const snapshots = await openSnapshots(port, { journal });
 * await snapshots.save("cart-1", 100, { apples: 3 });
 *
 * @example
 * const snapshots = await openSnapshots(port, { table: "snapshots" });
 */
export async function openSnapshots(port: DynamoPort, options: SnapshotsOptions = {}): Promise<Snapshots> {
  checkPort(port, optionInvalid);
  const resolved = resolveSnapshotsOptions(options);
  const besideIn = await tableBesideEvents(port, options);
  const context =
    besideIn === undefined
      ? contextOf(port, resolved)
      : contextOf(port, { ...resolved, table: besideIn, indexed: false }, true);
  const { keep } = resolved;
  const cleaning = backgroundCleaning(async (persistenceId, { old, garbage }: Cleaning) => {
    if (old && keep !== undefined) await deleteButNewest(context, persistenceId, keep, {});
    if (garbage) await collectGarbage(context, persistenceId, {});
  }, context.logger);
  const checkCall = (persistenceId: string, call: CallOptions) => {
    checkPersistenceId(persistenceId, context.keys.partition);
    checkOptions(call, checks.other);
  };

  const snapshots: Snapshots = {
    async save(persistenceId, sequenceNr, state, call = {}) {
      checkOptions(call, checks.save);
      checkPersistenceId(persistenceId, context.keys.partition);
      checkSequenceNr("sequenceNr", sequenceNr);
      const { metadata, garbage } = await saveSnapshot(context, persistenceId, sequenceNr, state, call);
      if (garbage || keep !== undefined) cleaning.demand(persistenceId, { old: keep !== undefined, garbage });
      return metadata;
    },
    async load(persistenceId, criteria = {}, call = {}) {
      checkPersistenceId(persistenceId, context.keys.partition);
      checkOptions(call, checks.load);
      const bounds = boundsOf(criteria);
      return bounds && loadSnapshot(context, persistenceId, bounds, call);
    },
    async delete(persistenceId, sequenceNr, options = {}) {
      checkOptions(options, checks.delete);
      checkPersistenceId(persistenceId, context.keys.partition);
      checkSequenceNr("sequenceNr", sequenceNr);
      const { timestamp = 0, ...call } = options;
      await deleteOne(context, persistenceId, sequenceNr, timestamp, call);
    },
    async deleteMany(persistenceId, criteria = {}, call = {}) {
      checkCall(persistenceId, call);
      const bounds = boundsOf(criteria);
      if (bounds !== undefined) await deleteWithin(context, persistenceId, bounds, call);
    },
    async keepNewest(persistenceId, count, call = {}) {
      checkCall(persistenceId, call);
      checkSequenceNr("keep", count, optionCheck.integer(1));
      await deleteButNewest(context, persistenceId, count, call);
    },
    list: (persistenceId, criteria = {}, call = {}) => listed(context, persistenceId, criteria, call),
    async collectGarbage(persistenceId, call = {}) {
      checkCall(persistenceId, call);
      return collectGarbage(context, persistenceId, call);
    },
    idle: () => cleaning.idle(),
    close: () => cleaning.close(),
    [Symbol.asyncDispose]: () => cleaning.close(),
  };
  return remember(snapshots, context);
}

/** The table of a packed journal, whose partitions hold the snapshots; undefined if they have their own table. */
async function tableBesideEvents(
  port: DynamoPort,
  { journal: given, table }: SnapshotsOptions,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const journal = journalOptionsOf(given);
  const { context, settings } = buildContext(port, journal);
  if (table !== undefined && table !== context.table) return undefined;
  const isKnown = journal.layout !== undefined || settings.layout !== "packed";
  const layout = isKnown ? settings.layout : await findLayout(context, settings);
  return layout === "packed" ? context.table : undefined;
}

function contextOf(port: DynamoPort, options: SnapshotsOptions, besideEvents = false): SnapshotContext {
  const { maxItemSize = 400_000, indexed = true, clock = systemClock, logger = silentLogger } = options;
  const { table = defaultSnapshotTable } = options;
  const keys = (besideEvents ? snapshotKeysBesideEvents : snapshotKeys)(options.journalName ?? "journal");
  const own = options.tracing ? logged(port, logger, { tracing: true, clock }) : port;
  return {
    // A journal has checked its own table.
    port: besideEvents ? own : explainingPort(own, table, keys),
    table,
    keys,
    codecs: options.codecs ?? createCodecs(),
    format: options.format ?? "pay_data",
    compression: options.compression ?? "large",
    chunking: options.chunking ?? true,
    maxItemSize,
    maxHeadSize: indexed ? Math.min(maxItemSize, maxItemBytes / 2) : maxItemSize,
    maxSnapshotBytes: options.maxSnapshotBytes ?? 2 ** 28,
    onUnreadable: options.onUnreadable ?? "fail",
    garbageAfterMs: options.garbageAfterMs ?? 3_600_000,
    deadlineMs: options.deadlineMs ?? 10_000,
    clock,
    random: options.random ?? systemRandom,
    logger,
  };
}

async function* listed(
  context: SnapshotContext,
  persistenceId: string,
  criteria: SnapshotCriteria,
  call: CallOptions,
): AsyncGenerator<SnapshotMetadata, void, undefined> {
  checkPersistenceId(persistenceId, context.keys.partition);
  checkOptions(call, checks.other);
  const bounds = boundsOf(criteria);
  if (bounds === undefined) return;
  for await (const page of headKeyPages(context, persistenceId, bounds, call)) {
    for (const { sequenceNr, timestamp, isExpired } of page)
      if (!isExpired) yield { persistenceId, sequenceNr, timestamp };
  }
}
