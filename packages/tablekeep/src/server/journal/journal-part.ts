import { openJournal, openSnapshots } from "@tablekeep/journal";
import { type Backend, servedSnapshots } from "../backend/open-backend.ts";
import { openEntityFolds } from "../entity-folds/entity-folds.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { JournalConfig } from "../options/store-configs.ts";
import type { OnClose, ServerPart } from "../server-part.ts";
import { feedMetrics, type MeasuredFeed } from "./feed/feed-metrics.ts";
import { feedRoutes, feedSchemas } from "./feed/feed-routes.ts";
import { FeedSequencer } from "./feed/feed-sequencer.ts";
import { ServedFeeds } from "./feed/served-feeds.ts";
import type { FindJournal } from "./journal-request.ts";
import { journalRoutes, journalSchemas } from "./journal-routes.ts";
import { projectionRoutes, projectionSchemas } from "./projections/projection-routes.ts";
import { ServedProjections } from "./projections/served-projections.ts";
import type { ConfiguredJournal } from "./served-journals.ts";
import { ServedJournals } from "./served-journals.ts";

/** The deadline of a request for metrics. */
const statusMs = 2_000;

/** The journals of a server and their feeds, over HTTP. */
export async function journalPart(
  backend: Backend,
  { journals, feed, entities, clock, logger }: ResolvedServerOptions,
  onClose: OnClose,
): Promise<ServerPart> {
  const common = { clock, logger };
  const open: ConfiguredJournal[] = [];
  for (const config of journals) open.push(await openServed(backend, config, common));
  const served = new ServedJournals(open, backend, common);
  onClose(() => served.close());
  const folds =
    entities === undefined
      ? undefined
      : await openEntityFolds({ path: entities, port: backend.port, ...common });
  onClose(() => folds?.close());
  const feeds = new ServedFeeds(backend, common);
  const run = feed ? open.map((each) => runFeed(each, feeds, common)) : [];
  onClose(async () => void (await Promise.all(run.map(({ sequencer }) => sequencer.stop()))));
  await Promise.all(run.map(({ sequencer }) => sequencer.started()));
  const sequencerOf = (name: string) => run.find(({ journal }) => journal === name)?.sequencer.state;
  const find: FindJournal = ({ params, signal }) => served.named(params["journal"] ?? "", signal);
  const routes = [
    ...journalRoutes(served, backend, folds, clock),
    ...feedRoutes({ find, feeds, sequencerOf, clock }),
    ...projectionRoutes({ find, projections: new ServedProjections(backend, common), logger }),
  ];
  return {
    groups: [{ routes }],
    schemas: { ...journalSchemas, ...feedSchemas, ...projectionSchemas },
    metrics: feedMetrics(run),
    failing: () => (run.some(({ sequencer }) => sequencer.state.error !== undefined) ? ["feed"] : []),
  };
}

/** Runs the feed of a journal until its sequencer is stopped. */
function runFeed(
  journal: ConfiguredJournal,
  feeds: ServedFeeds,
  common: Pick<ResolvedServerOptions, "clock" | "logger">,
): MeasuredFeed & { readonly sequencer: FeedSequencer } {
  const { name } = journal.config;
  const sequencer = new FeedSequencer({ journal: name, open: () => feeds.of(journal), ...common });
  return {
    journal: name,
    sequencer,
    status: async () => (await feeds.of(journal)).status({ deadlineMs: statusMs }),
  };
}

async function openServed(
  backend: Backend,
  config: JournalConfig,
  common: Pick<ResolvedServerOptions, "clock" | "logger">,
): Promise<ConfiguredJournal> {
  const journal = await openJournal(backend.port, { ...common, ...config.journal });
  const { snapshotTable: table } = config;
  // The layout of a stored journal is known only now.
  if (journal.layout !== "packed") await backend.addTable(servedSnapshots(config));
  return { config, journal, snapshots: await openSnapshots(backend.port, { ...common, journal, table }) };
}
