import type { DynamoPort, Item } from "@tablekeep/core";
import { type MailOptions, mailTableSpec } from "@tablekeep/mail";

/** Where forwarding of messages stopped, by name: in the table of the mail store, so that a restart continues there. */
export interface CursorStore {
  /** Returns undefined before the first {@link save}. */
  load(name: string): Promise<string | undefined>;
  save(name: string, cursor: string): Promise<void>;
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
      return item?.["cursor"]?.S;
    },
    async save(name, cursor) {
      await port.putItem({ TableName: table, Item: { ...key(name), cursor: { S: cursor } } });
    },
  };
}
