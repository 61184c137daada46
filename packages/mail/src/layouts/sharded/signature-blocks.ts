import type { Item, PutItemInput } from "@tablekeep/core";
import type { MailContext } from "../../model/mail-context.ts";
import { type BlockVersion, type Hour, marginSeconds } from "./hours.ts";
import { blockKey } from "./keys.ts";
import { type SignaturePage, signaturePage } from "./signatures.ts";

/** The signatures of all messages of an hour with ids from `from` on and below `before`, of all its shards, in one item. */
export interface SignatureBlock extends BlockVersion {
  readonly from: string;
  readonly before: string;
  /** Newest first. */
  readonly page: SignaturePage;
}

/** Bytes of ids and signatures in a block: an item of DynamoDB has at most 400 KB. */
export const blockBytes: number = 256 * 1024;

/** The lower bound of the ids in the first block. Below all ids. */
export const firstBlock = "0";

/** Characters of an id. */
const idLength = 26;

/** Approximate bytes that an item of a signature adds to a block. */
export function bytesInBlock(item: Item): number {
  return idLength + 4 + (item["all"]?.B?.length ?? 0) + (item["text"]?.B?.length ?? 0);
}

/** Makes a block from items of signatures, oldest first. */
export function signatureBlock(
  { late, removed }: BlockVersion,
  from: string,
  before: string,
  items: readonly Item[],
): SignatureBlock {
  return { late, removed, from, before, page: signaturePage(items.toReversed()) };
}

/** A put that replaces a block of an older version only. */
export function blockPut(
  { table }: Pick<MailContext, "table">,
  hour: Hour,
  block: SignatureBlock,
): PutItemInput {
  const { late, removed, from, before, page } = block;
  const version = { late: { N: String(late) }, removed: { N: String(removed) } };
  const lengths = Buffer.alloc(4 * page.ids.length);
  for (let at = 0; at < 2 * page.ids.length; at++)
    lengths.writeUInt16LE((page.bounds[at + 1] as number) - (page.bounds[at] as number), 2 * at);
  return {
    TableName: table,
    Item: {
      ...blockKey(hour, from),
      ...version,
      before: { S: before },
      ids: { B: Buffer.from(page.ids.join(""), "latin1") },
      lengths: { B: lengths },
      signatures: { B: page.signatures },
      expires: { N: String(hour.endsAt + marginSeconds) },
    },
    ConditionExpression: "attribute_not_exists(pk) OR late < :late OR (late = :late AND removed < :removed)",
    ExpressionAttributeValues: { ":late": version.late, ":removed": version.removed },
  };
}

/** Reads a block. Undefined if it is missing or not a block. */
export function readBlock(item: Item | undefined): SignatureBlock | undefined {
  const [from, before] = [item?.["sk"]?.S, item?.["before"]?.S];
  const [ids, lengths, signatures] = [item?.["ids"]?.B, item?.["lengths"]?.B, item?.["signatures"]?.B];
  if (from === undefined || before === undefined) return undefined;
  if (ids === undefined || lengths === undefined || signatures === undefined) return undefined;
  const count = ids.length / idLength;
  if (!Number.isInteger(count) || lengths.length !== 4 * count) return undefined;
  const bounds = new Uint32Array(2 * count + 1);
  for (let at = 0; at < 2 * count; at++)
    bounds[at + 1] =
      (bounds[at] as number) + ((lengths[2 * at] as number) | ((lengths[2 * at + 1] as number) << 8));
  if (bounds[2 * count] !== signatures.length) return undefined;
  const text = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength).toString("latin1");
  const page = {
    ids: Array.from({ length: count }, (_, at) => text.slice(at * idLength, (at + 1) * idLength)),
    // A part of other memory would keep all of that.
    signatures: signatures.length === signatures.buffer.byteLength ? signatures : signatures.slice(),
    bounds,
  };
  return { ...versionOf(item), from, before, page };
}

/** The version that an item of a block or of an hour has. */
export function versionOf(item: Item | undefined): BlockVersion {
  return { late: Number(item?.["late"]?.N ?? 0), removed: Number(item?.["removed"]?.N ?? 0) };
}

/** Whether two versions are the same. */
export function isSameVersion(one: BlockVersion, other: BlockVersion): boolean {
  return one.late === other.late && one.removed === other.removed;
}

/** The name of an hour's blocks of a version, for caches. */
export function versionName({ late, removed }: BlockVersion): string {
  return `${late}.${removed}`;
}
