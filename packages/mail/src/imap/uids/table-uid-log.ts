import { queryItems } from "@tablekeep/client";
import {
  type CallOptions,
  type Clock,
  type DynamoPort,
  type Item,
  isAmbiguous,
  isDynamoError,
} from "@tablekeep/core";
import { inboxPort } from "../../inbox-port.ts";
import { defaultInbox } from "../../model/inbox-name.ts";
import { type MailOptions, mailTableSpec } from "../../model/mail-options.ts";
import { updateIf } from "../../model/update-if.ts";
import { type UidEntry, type UidLog, validityAt } from "./uid-log.ts";

/** The number of ids in one item. */
const pageLength = 100;

/** Days that a page outlives its messages. */
const marginDays = 2;

/** Days that the head of a named inbox outlives the messages that were there when it was last read. */
const headMarginDays = 30;

const daySeconds = 86_400;

export interface TableUidLogOptions {
  readonly port: DynamoPort;
  /** The options of the mail store, whose table has the UIDs as well. Each inbox has its own. */
  readonly store?: MailOptions;
  readonly clock: Clock;
}

/**
 * Creates UIDs that are stored in the table of a mail store: they survive restarts, and are the same on all servers of the table. Pages of 100 ids
 * follow each other; a page is appended to only while it has the length that was read, and the next one is created together with
 * the head, which counts them: of several servers one is first, and the others read again. A page expires after its messages;
 * the head stays, so that no UID is used twice. That of a named inbox expires, too, once it has not been read for long: the next one has another
 * UIDVALIDITY.
 *
 * @example
 * const { server } = imapServer({ mail, uids: tableUidLog({ port, clock }), clock, logger });
 */
export function tableUidLog(options: TableUidLogOptions): UidLog {
  return new TableUidLog(options);
}

class TableUidLog implements UidLog {
  readonly #port: DynamoPort;
  readonly #clock: Clock;
  readonly #table: TableNames;
  readonly #ttlDays: number;
  readonly #isNamed: boolean;
  #validity = 0;
  /** The number of pages created so far. */
  #pages = 0;
  /** The last page that was read, from 1, and its length. */
  #page = 0;
  #length = 0;

  constructor({ port, store = {}, clock }: TableUidLogOptions) {
    const { inbox = defaultInbox } = store;
    this.#port = inboxPort(port, inbox);
    this.#isNamed = inbox !== defaultInbox;
    this.#clock = clock;
    this.#table = tableNames(store);
    this.#ttlDays = store.ttlDays ?? 7;
  }

  get validity(): number {
    return this.#validity;
  }

  get nextUid(): number {
    return this.#isOpen() ? uidAt(this.#page, this.#length) : uidAt(this.#pages + 1, 0);
  }

  async read(call: CallOptions): Promise<readonly UidEntry[]> {
    const head = await this.#readHead(call);
    const validity = Number(head["validity"]?.N);
    if (validity !== this.#validity) [this.#page, this.#length] = [0, 0];
    this.#validity = validity;
    this.#pages = Number(head["pages"]?.N);
    const { name, partitionKey, sortKey } = this.#table;
    const entries: UidEntry[] = [];
    const query = {
      TableName: name,
      KeyConditionExpression: "#pk = :imap AND #sk BETWEEN :first AND :last",
      ExpressionAttributeNames: { "#pk": partitionKey, "#sk": sortKey },
      ExpressionAttributeValues: {
        ":imap": { S: partition },
        ":first": { S: pageName(this.#page) },
        ":last": { S: pageName(lastPage) },
      },
      ConsistentRead: true,
    };
    const before = this.#page;
    let isThere = before === 0;
    for await (const item of queryItems(this.#port, query, { ...call, clock: this.#clock })) {
      const page = Number(item[sortKey]?.S?.slice(1));
      const ids = (item["ids"]?.L ?? []).map(({ S = "" }) => S);
      isThere ||= page === before;
      const known = page === this.#page ? this.#length : 0;
      for (const [at, id] of ids.entries()) if (at >= known) entries.push({ uid: uidAt(page, at), id });
      this.#page = page;
      this.#length = ids.length;
    }
    // The page has expired: nothing more is appended to it.
    if (!isThere && this.#page === before) this.#length = pageLength;
    return entries;
  }

  async append(ids: readonly string[], call: CallOptions): Promise<void> {
    try {
      await (this.#isOpen() ? this.#extend(ids, call) : this.#addPage(ids, call));
    } catch (error) {
      const wasSecond =
        isDynamoError(error, "ConditionalCheckFailedException") ||
        isDynamoError(error, "TransactionCanceledException") ||
        isDynamoError(error, "TransactionConflictException");
      // If the outcome is unknown, the next read shows it.
      if (!wasSecond && !isAmbiguous(error)) throw error;
    }
  }

  /** Whether the last page exists and is not full. It no longer exists once it has expired. */
  #isOpen(): boolean {
    return this.#page > 0 && this.#page === this.#pages && this.#length < pageLength;
  }

  async #extend(ids: readonly string[], call: CallOptions): Promise<void> {
    const { name, ttlAttribute } = this.#table;
    await this.#port.updateItem(
      {
        TableName: name,
        Key: this.#key(pageName(this.#page)),
        UpdateExpression: "SET ids = list_append(ids, :ids), #expires = :expires",
        ConditionExpression: "size(ids) = :length",
        ExpressionAttributeNames: { "#expires": ttlAttribute },
        ExpressionAttributeValues: {
          ":ids": idList(ids.slice(0, pageLength - this.#length)),
          ":expires": this.#expires(),
          ":length": { N: String(this.#length) },
        },
      },
      call,
    );
  }

  async #addPage(ids: readonly string[], call: CallOptions): Promise<void> {
    const { name, partitionKey, ttlAttribute } = this.#table;
    const page = this.#pages + 1;
    const head = {
      TableName: name,
      Key: this.#key(headName),
      UpdateExpression: "SET pages = :page",
      ConditionExpression: "pages = :before",
      ExpressionAttributeValues: { ":page": { N: String(page) }, ":before": { N: String(this.#pages) } },
    };
    const added = {
      TableName: name,
      Item: {
        ...this.#key(pageName(page)),
        ids: idList(ids.slice(0, pageLength)),
        [ttlAttribute]: this.#expires(),
      },
      ConditionExpression: "attribute_not_exists(#pk)",
      ExpressionAttributeNames: { "#pk": partitionKey },
    };
    await this.#port.transactWriteItems({ TransactItems: [{ Update: head }, { Put: added }] }, call);
  }

  async #readHead(call: CallOptions): Promise<Item> {
    const { name, partitionKey, ttlAttribute } = this.#table;
    const Key = this.#key(headName);
    const read = async () =>
      (await this.#port.getItem({ TableName: name, Key, ConsistentRead: true }, call)).Item;
    const found = await read();
    if (found !== undefined && (await this.#keepHead(found, call))) return found;
    const created: Item = {
      ...Key,
      validity: { N: String(validityAt(this.#clock)) },
      pages: { N: "0" },
      ...(this.#isNamed && { [ttlAttribute]: this.#expires(headMarginDays) }),
    };
    try {
      await this.#port.putItem(
        {
          TableName: name,
          Item: created,
          ConditionExpression: "attribute_not_exists(#pk)",
          ExpressionAttributeNames: { "#pk": partitionKey },
        },
        call,
      );
      return created;
    } catch (error) {
      // Another server was first, or it was this one after all.
      const isThere = await read();
      if (isThere === undefined) throw error;
      return isThere;
    }
  }

  /** Extends the life of the head, once a day. Returns false if it has expired meanwhile. */
  async #keepHead(head: Item, call: CallOptions): Promise<boolean> {
    const { name, partitionKey, ttlAttribute } = this.#table;
    const needed = this.#expires(headMarginDays);
    const expires = head[ttlAttribute]?.N;
    if (!this.#isNamed || (expires !== undefined && Number(expires) + daySeconds > Number(needed.N)))
      return true;
    return updateIf(
      this.#port,
      {
        TableName: name,
        Key: this.#key(headName),
        UpdateExpression: "SET #expires = :expires",
        ConditionExpression: "attribute_exists(#pk)",
        ExpressionAttributeNames: { "#expires": ttlAttribute, "#pk": partitionKey },
        ExpressionAttributeValues: { ":expires": needed },
      },
      call,
    );
  }

  #key(name: string): Item {
    return { [this.#table.partitionKey]: { S: partition }, [this.#table.sortKey]: { S: name } };
  }

  #expires(margin = marginDays): { readonly N: string } {
    return { N: String(Math.floor(this.#clock.now() / 1000) + (this.#ttlDays + margin) * daySeconds) };
  }
}

interface TableNames {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly ttlAttribute: string;
}

function tableNames(store: MailOptions): TableNames {
  const { name, partitionKey, sortKey, ttlAttribute } = mailTableSpec(store);
  return {
    name,
    partitionKey: partitionKey.name,
    sortKey: sortKey?.name ?? "",
    ttlAttribute: ttlAttribute ?? "expires",
  };
}

/** A partition that no message is stored in. */
const partition = "imap";
const headName = "head";

/** UIDs have 32 bits. */
const lastPage = Math.floor(2 ** 32 / pageLength) - 1;

function pageName(page: number): string {
  return `p${String(page).padStart(8, "0")}`;
}

function uidAt(page: number, index: number): number {
  return (page - 1) * pageLength + index + 1;
}

function idList(ids: readonly string[]) {
  return { L: ids.map((S) => ({ S })) };
}
