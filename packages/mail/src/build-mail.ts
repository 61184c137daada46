import type { CallOptions } from "@tablekeep/core";
import {
  checkBytes,
  checkCall,
  checkEnvelope,
  checkPage,
  checkSearch,
  checkSearchRequest,
  checkWait,
  checkWatch,
} from "./call-checks.ts";
import { type MailFeed, mailFeed } from "./feed/mail-feed.ts";
import { waitForMail, watchChanges, watchMail } from "./feed/watch-mail.ts";
import type { Envelope, IncomingMessage, Mail, MailSearch, MailSummary, StoredMessage } from "./mail.ts";
import { longMailCall, type MailCall, type MailContext, mailCall } from "./mail-context.ts";
import { MailError } from "./mail-error.ts";
import type { MailLayout } from "./mail-layout.ts";
import { mhdynamoLayout } from "./mhdynamo/mhdynamo-layout.ts";
import { listPage, resolvePage } from "./page-cursor.ts";
import { tallied } from "./removed-tally.ts";
import { type Retention, retention } from "./retention.ts";
import { allMatches, searchPage } from "./search/search-page.ts";
import { shardedLayout } from "./sharded/sharded-layout.ts";

/** Bytes of messages that are read at once when a page is loaded. */
const loadedAtOnce = 8 * 1024 * 1024;

/** A store on what its options say. Sends nothing. */
export function buildMail(context: MailContext): Mail {
  const layout = context.layout === "mhdynamo" ? mhdynamoLayout(context) : shardedLayout(context);
  const feed = mailFeed(context, layout);
  const kept = retention(context, layout, feed.publishDeleted);
  const watched = { context, layout, feed };
  let closed = false;
  const open = () => {
    if (closed) throw new MailError("MAIL_CLOSED", "this mail store was closed: open another", {});
  };
  const short = (options?: Parameters<typeof checkCall>[0]): MailCall => {
    open();
    return mailCall(context, checkCall(options));
  };
  const long = (options?: Parameters<typeof checkCall>[0]): MailCall => {
    open();
    return longMailCall(context, checkCall(options));
  };
  const incoming = (envelope: Envelope, options: CallOptions) =>
    announced(layout.incoming(checkEnvelope(envelope), options), feed, kept);
  return {
    receive(envelope, options) {
      open();
      return incoming(envelope, checkCall(options));
    },
    async store(envelope, raw, options) {
      const message = incoming(envelope, long(options));
      try {
        await message.write(raw);
      } catch (error) {
        context.background.add(message.discard());
        throw error;
      }
      return message.finish();
    },
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
      return searchPage(layout, checkSearch(search), { ...resolvePage(layout, page), total }, call);
    },
    count: async (options) => layout.count(long(options)),
    async deleteOne(id, options) {
      const call = short(options);
      return (await tallied((tally) => layout.remove([id], call, tally), feed.publishDeleted)) > 0;
    },
    deleteMany: async (which, options) => deleteMany({ layout, feed }, which, long(options)),
    async deleteAll(options) {
      const call = long(options);
      return tallied((tally) => layout.removeAll(call, tally), feed.publishDeleted);
    },
    trim: async (options) => kept.trim(long(options)),
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
    async close() {
      closed = true;
      feed.close();
      await context.background.settle();
    },
  };
}

/** Tells of a message once it is stored, and not before. */
function announced(message: IncomingMessage, feed: MailFeed, kept: Retention): IncomingMessage {
  return {
    get id() {
      return message.id;
    },
    write: async (bytes) => message.write(checkBytes(bytes)),
    discard: () => message.discard(),
    async finish(options): Promise<StoredMessage> {
      const stored = await message.finish(options);
      feed.publish(stored);
      kept.stored();
      return stored;
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

async function deleteMany(
  { layout, feed }: { readonly layout: MailLayout; readonly feed: MailFeed },
  which: readonly string[] | MailSearch,
  call: MailCall,
): Promise<number> {
  if (Array.isArray(which)) return tallied((tally) => layout.remove(which, call, tally), feed.publishDeleted);
  const ids: string[] = [];
  for await (const { id } of allMatches(layout, checkSearch(which as MailSearch), undefined, call))
    ids.push(id);
  return tallied((tally) => layout.remove(ids, call, tally), feed.publishDeleted);
}
