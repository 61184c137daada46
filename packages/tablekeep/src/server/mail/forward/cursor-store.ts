import type { DynamoPort, Item } from "@tablekeep/core";
import { type MailOptions, mailTableSpec } from "@tablekeep/mail";

/** Where forwarding of messages stopped. */
export interface ForwardPosition {
  readonly cursor: string;
  /** Hashes of the last messages that were forwarded: a watcher that continues at a cursor may return them again. */
  readonly forwarded: readonly string[];
}

/** Positions by name: in the table of the mail store, so that a restart continues there. */
export interface CursorStore {
  /** Returns undefined before the first {@link save}. */
  load(name: string): Promise<ForwardPosition | undefined>;
  save(name: string, position: ForwardPosition): Promise<void>;
}

/** A partition that no message is stored in. */
const partition = "forwards";

export function cursorStore(port: DynamoPort, options: MailOptions = {}): CursorStore {
  const { name: table, partitionKey, sortKey } = mailTableSpec(options);
  const key = (name: string): Item => ({
    [partitionKey.name]: { S: partition },
    ...(sortKey && { [sortKey.name]: { S: name } }),
  });
  return {
    async load(name) {
      const { Item: item } = await port.getItem({ TableName: table, Key: key(name), ConsistentRead: true });
      const cursor = item?.["cursor"]?.S;
      if (cursor === undefined) return undefined;
      return { cursor, forwarded: (item?.["forwarded"]?.S ?? "").split(" ").filter(Boolean) };
    },
    async save(name, { cursor, forwarded }) {
      const attributes = { cursor: { S: cursor }, forwarded: { S: forwarded.join(" ") } };
      await port.putItem({ TableName: table, Item: { ...key(name), ...attributes } });
    },
  };
}
