import { createHash } from "node:crypto";
import type { MailLayout } from "../model/mail-layout.ts";
import type { MailFeed } from "./mail-feed.ts";

/** Dependencies of cursors. */
interface CursorContext {
  readonly layout: Pick<MailLayout, "idAt" | "timeOf">;
  readonly feed: Pick<MailFeed, "announced" | "polledAtMs">;
}

/** The parts of a cursor. */
export interface WatchCursor {
  /** The last message or change. */
  readonly id: string;
  /** The name of the feed that announced it; undefined for a plain id. */
  readonly name: string | undefined;
  readonly era: string | undefined;
  /** Another feed continues after this millisecond, without what {@link isReceived}. Undefined: after the id. */
  readonly fromMs: number | undefined;
  /** Whether an entry was announced before, although its id is higher than where another feed continues. */
  isReceived(id: string): boolean;
  /** The hashes of these entries. */
  readonly received: ReadonlySet<string>;
  /** The entries that waits have returned; the others were announced before, but not returned. */
  readonly returned: readonly string[];
}

/** Reads a cursor. A plain id is also a cursor. */
export function readCursor(cursor: string): WatchCursor {
  const [, position = cursor, fromMs, hashes = "", returned = "0"] =
    /^(.*)!([0-9a-z]{0,11})\.((?:[\w-]{8})*)(?:\.(\d{1,4}))?$/s.exec(cursor) ?? [];
  const [, id = position, name, era] = /^(.*)~([\w-]{8})(?:\.(\d{8}))?$/s.exec(position) ?? [];
  const received = new Set(hashes.match(/.{8}/g) ?? []);
  return {
    id,
    name,
    era,
    fromMs: fromMs === undefined || fromMs === "" ? undefined : Number.parseInt(fromMs, 36),
    isReceived: (each) => received.size > 0 && received.has(hashOf(each)),
    received,
    returned: [...received].slice(0, Number(returned)),
  };
}

/**
 * The position after a message or a change in the order in which this feed announces them, and the era in which it was reported: that
 * shows whether all messages were deleted since.
 */
export function watchCursor({ feed }: Pick<CursorContext, "feed">, id: string, era: string): string {
  return `${id}~${feed.announced.name}${era === "" ? "" : `.${era}`}`;
}

/** The usual maximum time between the creation of an id and the visibility of its message. Polls go back as far. */
const typicalDelayMs = 3000;

/** Entries whose hashes a cursor has: it is a part of URLs, for which many programs allow 8 KB. */
const maxReceived = 480;

/**
 * {@link watchCursor} for one message, from which every feed of the table continues without a gap and without repetitions. Feeds announce messages in
 * different orders: the cursor has the time up to which this feed had announced everything before this message, and hashes of what else it had. If
 * that is too much, hashes of messages that were not returned are left out: a wait with the same conditions does not return them either. If even those
 * that were returned are too many, the time is later, and another feed may miss messages. `after` is the cursor of the call.
 */
export function waitCursor(
  context: CursorContext,
  id: string,
  era: string,
  after: string | undefined,
): string {
  const { layout, feed } = context;
  const plain = watchCursor(context, id, era);
  const order = feed.announced.ids();
  const place = order.indexOf(id);
  const before = receivedBefore(context, order, after);
  const later = order.slice(place + 1);
  // This feed announces these again, unless the cursor has them.
  const repeated = later.filter((each) => each !== id && before.has(each)).map(hashOf);
  // A message that is not remembered is older than all that are, and was found in the order of ids.
  if (place < 0) return withReceived(plain, undefined, [...before.unknown, ...repeated], before.returned);
  const settled = layout.idAt(feed.polledAtMs() - typicalDelayMs);
  const lowest = later.filter((each) => !before.has(each)).reduce(lower, lower(id, settled));
  const receivedFrom = (ms: number) => {
    const bound = layout.idAt(ms);
    return order.filter((each, at) => at < place && each > bound).sort();
  };
  let fromMs = Math.max(before.untilMs, layout.timeOf(lowest));
  let received = receivedFrom(fromMs);
  const returned = received.filter((each) => before.returned.has(hashOf(each)));
  if (returned.length > maxReceived) {
    fromMs = layout.timeOf(returned.at(-maxReceived) ?? id) + 1;
    received = receivedFrom(fromMs);
  }
  const hashes = [...before.unknown, ...received.map(hashOf), ...repeated];
  return withReceived(plain, fromMs, hashes, before.returned);
}

/** What a client had received at a cursor. */
interface Received {
  has(id: string): boolean;
  /** Everything that was made before this millisecond. */
  readonly untilMs: number;
  /** Hashes of entries that this feed does not remember, and may announce later. */
  readonly unknown: readonly string[];
  /** Hashes of messages that waits had returned. */
  readonly returned: ReadonlySet<string>;
}

/** How much earlier than a cursor the entries are whose hashes it may have. */
const rememberedMs = 10_000;

function receivedBefore(
  { layout, feed }: CursorContext,
  order: readonly string[],
  after: string | undefined,
): Received {
  if (after === undefined || after === "")
    return { has: () => false, untilMs: 0, unknown: [], returned: new Set() };
  const { id, name, fromMs, isReceived, received, returned } = readCursor(after);
  const isPlaced = (name === undefined || name === feed.announced.name) && order.includes(id);
  const from = fromMs === undefined ? id : layout.idAt(fromMs);
  const oldest = layout.idAt(layout.timeOf(id) - rememberedMs);
  const has = (each: string) =>
    each === id || (!isPlaced && each <= from) || (each > oldest && isReceived(each));
  const hashes = isPlaced ? [...received] : [...received, hashOf(id)];
  const known = new Set(hashes.length === 0 ? [] : order.filter((each) => each > oldest).map(hashOf));
  const untilMs = fromMs ?? (isPlaced ? 0 : layout.timeOf(id));
  return {
    has,
    untilMs,
    unknown: hashes.filter((hash) => !known.has(hash)),
    returned: new Set([...returned, hashOf(id)]),
  };
}

/** Those that were returned come first, and are kept if there are too many. */
function withReceived(
  plain: string,
  fromMs: number | undefined,
  hashes: readonly string[],
  returned: ReadonlySet<string>,
): string {
  if (fromMs === undefined && hashes.length === 0) return plain;
  const first = hashes.filter((hash) => returned.has(hash)).slice(-maxReceived);
  const others = hashes.filter((hash) => !returned.has(hash));
  const kept = [...first, ...others.slice(Math.max(0, others.length - (maxReceived - first.length)))];
  const count = first.length === 0 ? "" : `.${first.length}`;
  return `${plain}!${fromMs?.toString(36) ?? ""}.${kept.join("")}${count}`;
}

function hashOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url").slice(0, 8);
}

function lower(one: string, other: string): string {
  return one < other ? one : other;
}
