import { requireTable } from "@tablekeep/client";
import { type CallOptions, checkPort, type DynamoPort, isAmbiguous } from "@tablekeep/core";
import {
  checkCall,
  checkDelete,
  checkEnvelope,
  checkMarks,
  checkOriginal,
  checkPage,
  checkSearch,
  checkSearchRequest,
  checkWait,
  checkWanted,
  checkWatch,
} from "./call-options.ts";
import { type MailFeed, mailFeed } from "./feed/mail-feed.ts";
import { positionAfter, type Watched } from "./feed/resume-watch.ts";
import { waitForMessage } from "./feed/wait-for-message.ts";
import { waitForMail, watchChanges, watchMail } from "./feed/watch-mail.ts";
import { inboxPort } from "./inbox-port.ts";
import { mhdynamoLayout } from "./layouts/mhdynamo/mhdynamo-layout.ts";
import { shardedLayout } from "./layouts/sharded/sharded-layout.ts";
import { background } from "./model/background-work.ts";
import type { DeleteOptions, Mail } from "./model/mail.ts";
import { longMailCall, type MailCall, type MailContext, mailCall } from "./model/mail-context.ts";
import { MailError, optionInvalid } from "./model/mail-error.ts";
import type { MailLayout, OriginalRecord } from "./model/mail-layout.ts";
import {
  type MailOptions,
  mailTableSpec,
  type ResolvedMailOptions,
  resolveMailOptions,
} from "./model/mail-options.ts";
import type { MailQuery, MailSearch } from "./model/mail-search.ts";
import type { Envelope, MailMarks, MailSummary, OriginalMessage } from "./model/message.ts";
import { storeMemory } from "./model/search-memory.ts";
import { countRemoved, type OnRemoved, retention } from "./retention.ts";
import { allMatches, listPage, resolvePage, searchPage } from "./search/search-pages.ts";
import { searchResults } from "./search/search-results.ts";

/**
 * Opens a mail store in an existing table. Checks that the table has the keys of the layout, and that its items expire by the
 * right attribute.
 *
 * @example
 * const mail = await openMail(port, { table: "mail" });
 * await mail.store({ from: "a@example.org", to: ["b@example.com"], helo: "client" }, bytes);
 * for (const { subject } of (await mail.list()).items) console.log(subject);
 */
export async function openMail(
  port: DynamoPort,
  options: MailOptions = {},
  call: CallOptions = {},
): Promise<Mail> {
  checkPort(port, optionInvalid);
  const resolved = resolveMailOptions(options);
  const { signal, deadlineMs, clock } = mailCall(resolved, call);
  await requireTable(port, mailTableSpec(options), { signal, deadlineMs, clock });
  return buildMail(port, resolved);
}

/** The maximum bytes of messages that are read at once when a page is loaded. */
const loadedAtOnce = 8 * 1024 * 1024;

/** The number of search results kept in memory. */
const maxResults = 250_000;

/** The parts of a store. The layout reports each message that it has committed to the feed and to the retention. */
function buildParts(port: DynamoPort, options: ResolvedMailOptions) {
  const context: MailContext = {
    ...options,
    port: inboxPort(port, options.inbox),
    memory: storeMemory(options.searchMemory),
    background: background(),
    onCommitted(summary) {
      feed.publish(summary);
      retained.stored();
    },
    onCleared: (era) => feed.publishCleared(era),
  };
  const layout = context.layout === "mhdynamo" ? mhdynamoLayout(context) : shardedLayout(context);
  const feed = mailFeed(context, layout);
  const retained = retention(context, layout, feed.publishDeleted);
  return { context, layout, feed, retained, results: searchResults(maxResults, context.memory) };
}

/** Builds a store. Sends nothing. */
function buildMail(port: DynamoPort, given: ResolvedMailOptions): Mail {
  const { context, layout, feed, retained, results } = buildParts(port, given);
  const watched = { context, layout, feed };
  let closed = false;
  const open = () => {
    if (closed) throw new MailError("MAIL_CLOSED", "this mail store is closed: open another one", {});
  };
  const short = (options?: Parameters<typeof checkCall>[0]): MailCall => {
    open();
    return mailCall(context, checkCall(options));
  };
  const long = (options?: Parameters<typeof checkCall>[0]): MailCall => {
    open();
    return longMailCall(context, checkCall(options));
  };
  const mail: Mail = {
    receive(envelope, options) {
      open();
      return layout.incoming(checkEnvelope(envelope), checkCall(options));
    },
    store: async (envelope, raw, options) =>
      storeWhole({ context, layout }, checkEnvelope(envelope), raw, long(options)),
    importMessage: async (original, envelope, raw, options) =>
      importOriginal(
        { context, layout },
        checkOriginal(original),
        { envelope: checkEnvelope(envelope), raw },
        long(options),
      ),
    load: async (id, options) => layout.message(id, short(options)),
    loadEach: (page, options) => loadEach(layout, page, long(options)),
    summary: async (id, options) => layout.summary(id, short(options)),
    async list(request) {
      open();
      const { signal, deadlineMs, ...page } = checkPage(request);
      return listPage(layout, resolvePage(layout, page), mailCall(context, { signal, deadlineMs }));
    },
    async search(search, request) {
      open();
      const { signal, deadlineMs, total = false, ...page } = checkSearchRequest(request);
      const call = longMailCall(context, { signal, deadlineMs });
      const resolved = { ...resolvePage(layout, page), total };
      return searchPage({ layout, results }, checkSearch(search), resolved, call);
    },
    count: async (options) => layout.count(long(options)),
    mark: async (which, marks, options) =>
      markMany({ layout, feed }, which, checkMarks(marks), long(options)),
    async deleteOne(id, options) {
      const call = short(options);
      return (await countRemoved((removed) => layout.remove([id], call, removed), feed.publishDeleted)) > 0;
    },
    ...deleteCalls({ layout, feed }, long),
    trim: async (options) => retained.trim(long(options)),
    async position(options) {
      const call = short(options);
      const [newest] = (await listPage(layout, resolvePage(layout, { limit: 1 }), call)).items;
      return newest === undefined ? "" : positionAfter(watched, newest.id, call);
    },
    waitFor: async (wanted, options) =>
      waitForMessage(mail, context.clock, checkWanted(wanted), checkCall(options)),
    ...watchCalls(watched, open),
    async close() {
      closed = true;
      feed.close();
      retained.close();
      layout.close?.();
      await context.background.settle();
      context.memory.close();
    },
  };
  return mail;
}

interface Stores {
  readonly context: MailContext;
  readonly layout: MailLayout;
}

async function storeWhole(
  { context, layout }: Stores,
  envelope: Envelope,
  raw: Uint8Array,
  call: MailCall,
  original?: OriginalRecord,
): Promise<MailSummary> {
  const message = layout.incoming(envelope, call, original);
  try {
    await message.write(raw);
  } catch (error) {
    context.background.add(message.discard());
    throw error;
  }
  return message.finish();
}

async function importOriginal(
  { context, layout }: Stores,
  original: OriginalMessage,
  { envelope, raw }: { readonly envelope: Envelope; readonly raw: Uint8Array },
  call: MailCall,
): Promise<MailSummary | undefined> {
  const id = layout.originalId?.(original);
  // It would be the newest message for everyone who waits for later ones.
  if (id !== undefined && layout.timeOf(id) > context.clock.now())
    throw optionInvalid("original.created", "must not be in the future");
  const isStored = async () => id !== undefined && (await layout.summary(id, call)) !== undefined;
  if (await isStored()) return undefined;
  try {
    const { read, tags } = original;
    const record = id === undefined ? undefined : { id, read, tags };
    return await storeWhole({ context, layout }, envelope, raw, call, record);
  } catch (error) {
    // Another import may have been faster.
    if (!isAmbiguous(error) && (await isStored())) return undefined;
    throw error;
  }
}

/** The calls that wait for messages. `open` throws if the store was closed. */
function watchCalls(watched: Watched, open: () => void): Pick<Mail, "wait" | "watch" | "watchChanges"> {
  return {
    async wait(search, options) {
      open();
      return waitForMail(watched, search && checkSearch(search), checkWait(options));
    },
    watch(options) {
      open();
      return watchMail(watched, checkWatch(options));
    },
    watchChanges(options) {
      open();
      return watchChanges(watched, checkWatch(options));
    },
  };
}

async function* loadEach(layout: MailLayout, page: readonly MailSummary[], call: MailCall) {
  let at = 0;
  while (at < page.length) {
    let end = at;
    let bytes = 0;
    do bytes += page[end++]?.size ?? 0;
    while (end < page.length && bytes + (page[end]?.size ?? 0) <= loadedAtOnce);
    for (const message of await layout.load(page.slice(at, end), call))
      if (message !== undefined) yield message;
    at = end;
  }
}

/** Messages by id, or all that a search finds. */
type Which = readonly string[] | MailSearch | MailQuery;

interface Changed {
  readonly layout: MailLayout;
  readonly feed: MailFeed;
}

/** The calls that delete any number of messages, and report their progress. */
function deleteCalls(
  { layout, feed }: Changed,
  long: (options: DeleteOptions) => MailCall,
): Pick<Mail, "deleteMany" | "deleteAll" | "reclaim"> {
  const begin = (options?: DeleteOptions) => {
    const { onProgress = () => {}, ...call } = checkDelete(options);
    return { call: long(call), onProgress };
  };
  /** Publishes the ids of messages that were removed, and reports their number. */
  const removal = (report: (deleted: number) => void): OnRemoved => {
    let deleted = 0;
    return (ids, change) => {
      feed.publishDeleted(ids, change);
      deleted += ids.length;
      report(deleted);
    };
  };
  return {
    async deleteMany(which, options) {
      const { call, onProgress } = begin(options);
      const ids = await idsOf(layout, which, call, (found) => onProgress({ found, deleted: 0 }));
      const onRemoved = removal((deleted) => onProgress({ found: ids.length, deleted }));
      return countRemoved((removed) => layout.remove(ids, call, removed), onRemoved);
    },
    async deleteAll(options) {
      const { call, onProgress } = begin(options);
      const onRemoved = removal((deleted) => onProgress({ deleted }));
      return countRemoved((removed) => layout.removeAll(call, removed), onRemoved);
    },
    async reclaim(options) {
      const { call, onProgress } = begin(options);
      return (await layout.reclaim?.(call, (deleted) => onProgress({ deleted }))) ?? 0;
    },
  };
}

async function markMany(
  { layout, feed }: Changed,
  which: Which,
  marks: MailMarks,
  call: MailCall,
): Promise<number> {
  const { changes } = layout;
  if (changes === undefined)
    throw new MailError(
      "MAIL_MARKS_UNSUPPORTED",
      "messages of the layout mhdynamo have no marks: use the layout sharded",
      { layout: "mhdynamo" },
    );
  return changes.mark(await idsOf(layout, which, call), marks, call, feed.publishMarked);
}

async function idsOf(
  layout: MailLayout,
  which: Which,
  call: MailCall,
  onFound: (count: number) => void = () => {},
): Promise<readonly string[]> {
  if (Array.isArray(which)) return which;
  const search = checkSearch(which as MailSearch | MailQuery);
  const ids: string[] = [];
  for await (const { id } of allMatches(layout, search, undefined, call)) onFound(ids.push(id));
  return ids;
}
