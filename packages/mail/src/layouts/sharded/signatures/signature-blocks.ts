import { randomBytes } from "node:crypto";
import type { Item, Key, PutItemInput } from "@tablekeep/core";
import type { MailContext } from "../../../model/mail-context.ts";
import { type BlockVersion, type Hour, marginSeconds } from "../hours/hours.ts";
import { blockKey, partKey } from "../items/mail-keys.ts";
import {
  codeOf,
  groupsOf,
  markMatches,
  partRange,
  partsNeeded,
  rowsOf,
  type SignatureGroup,
} from "./signature-rows.ts";

/**
 * The signatures of all messages of an hour with ids from `from` on and below `before`, of all its shards, arranged by bits. Those of
 * few messages are in one item with the ids. Otherwise each part of the rows is a separate item, and is read when a search needs it.
 */
export interface SignatureBlock extends BlockVersion {
  readonly from: string;
  readonly before: string;
  /** The ids one after the other, newest first. */
  readonly ids: string;
  /** Whether all of these messages existed when the block was made. Otherwise some may never have been committed. */
  readonly exact: boolean;
  /** The name of the items with common phrases; "" if there are none. */
  readonly phrases: string;
  readonly groups: readonly SignatureGroup[];
  /** The name of the items with its parts; "" if the parts are in the block. */
  readonly name: string;
  /** The parts that are in memory. */
  readonly parts: Map<string, Uint8Array>;
}

/** Bytes of ids and signatures in a block. */
export const blockBytes: number = 1024 * 1024;

/** Messages in a block, so that their ids fit into one item of DynamoDB. */
export const blockMessages = 8192;

/** Bytes of rows that are stored in the item with the ids. */
const maxBytesInside = 64 * 1024;

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
  { from, before, exact, phrases }: Pick<SignatureBlock, "from" | "before" | "exact" | "phrases">,
  oldestFirst: readonly Item[],
): SignatureBlock {
  const items = oldestFirst.toReversed();
  const groups = groupsOf(Uint8Array.from(items, codeOf));
  const parts = new Map<string, Uint8Array>();
  for (const group of groups) {
    const attribute = group.textOnly ? "text" : "all";
    const rows = rowsOf(
      group,
      group.members.map((at) => items[at]?.[attribute]?.B ?? new Uint8Array()),
    );
    for (let part = 0; part < group.parts; part++)
      parts.set(partName(group, part), rows.subarray(...partRange(group, part)));
  }
  const bytes = [...parts.values()].reduce((sum, { length }) => sum + length, 0);
  const name = bytes <= maxBytesInside ? "" : randomBytes(9).toString("base64url");
  return {
    ...{ late, removed, from, before, exact, phrases, groups, name, parts },
    ids: items.map((item) => item["sk"]?.S ?? "").join(""),
  };
}

function partName({ code }: SignatureGroup, part: number): string {
  return `${code}.${part}`;
}

/** The number of messages in a block. */
export function countOf({ ids }: SignatureBlock): number {
  return ids.length / idLength;
}

/** A put that replaces a block of an older version only. The items of its parts are stored before. */
export function blockPut(
  { table }: Pick<MailContext, "table">,
  hour: Hour,
  block: SignatureBlock,
): PutItemInput {
  const { late, removed, from, before, ids, exact, phrases, groups, name, parts } = block;
  const version = { late: { N: String(late) }, removed: { N: String(removed) } };
  const codes = new Uint8Array(countOf(block));
  for (const { code, members } of groups) for (const at of members) codes[at] = code;
  return {
    TableName: table,
    Item: {
      ...blockKey(hour, from),
      ...version,
      before: { S: before },
      ids: { B: Buffer.from(ids, "latin1") },
      codes: { B: codes },
      ...(exact && { exact: { BOOL: true } }),
      ...(phrases !== "" && { phrases: { S: phrases } }),
      ...(name === "" ? { rows: { B: Buffer.concat([...parts.values()]) } } : { name: { S: name } }),
      expires: { N: String(hour.endsAt + marginSeconds) },
    },
    ConditionExpression: "attribute_not_exists(pk) OR late < :late OR (late = :late AND removed < :removed)",
    ExpressionAttributeValues: { ":late": version.late, ":removed": version.removed },
  };
}

/** The items of a block's parts; none if these are in the block. */
export function partItems(hour: Hour, { name, parts }: SignatureBlock): Item[] {
  if (name === "") return [];
  const expires = { N: String(hour.endsAt + marginSeconds) };
  return [...parts].map(([part, rows]) => ({ ...partKey(hour, name, part), rows: { B: rows }, expires }));
}

/** Reads a block, without its parts unless these are in it. Undefined if it is missing or not a block. */
export function readBlock(item: Item | undefined): SignatureBlock | undefined {
  const [from, before, name] = [item?.["sk"]?.S, item?.["before"]?.S, item?.["name"]?.S ?? ""];
  const [ids, codes, rows] = [item?.["ids"]?.B, item?.["codes"]?.B, item?.["rows"]?.B];
  if (from === undefined || before === undefined || ids === undefined || codes === undefined)
    return undefined;
  if (ids.length !== codes.length * idLength) return undefined;
  const groups = groupsOf(codes);
  const parts = name === "" ? partsInside(groups, rows) : new Map<string, Uint8Array>();
  if (parts === undefined) return undefined;
  const text = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength).toString("latin1");
  const known = { exact: item?.["exact"]?.BOOL ?? false, phrases: item?.["phrases"]?.S ?? "" };
  return { ...versionOf(item), ...known, from, before, ids: text, groups, name, parts };
}

function partsInside(
  groups: readonly SignatureGroup[],
  rows: Uint8Array = new Uint8Array(),
): Map<string, Uint8Array> | undefined {
  const parts = new Map<string, Uint8Array>();
  let start = 0;
  for (const group of groups) {
    for (let part = 0; part < group.parts; part++) {
      const [from, to] = partRange(group, part);
      // A part of other memory would keep all of that.
      parts.set(partName(group, part), rows.slice(start + from, start + to));
    }
    start += group.size * 8 * group.rowBytes;
  }
  return start === rows.length ? parts : undefined;
}

/** An item with a part of a block. */
export interface StoredPart {
  readonly key: Key;
  /** Adds the part to the block, from its item. Returns false if that is missing or damaged. */
  add(item: Item | undefined): boolean;
}

/** The parts that a search needs and that are not in memory. */
export function missingParts(
  hour: Hour,
  block: SignatureBlock,
  hashes: Uint32Array,
  decodedText: boolean,
): StoredPart[] {
  const { groups, parts } = block;
  return groups.flatMap((group) =>
    [...partsNeeded(group, hashes, decodedText)]
      .filter((part) => !parts.has(partName(group, part)))
      .map((part) => storedPart(hour, block, group, part)),
  );
}

/** All parts that are not in the item of a block. */
export function storedParts(hour: Hour, block: SignatureBlock): StoredPart[] {
  if (block.name === "") return [];
  return block.groups.flatMap((group) =>
    Array.from({ length: group.parts }, (_, part) => storedPart(hour, block, group, part)),
  );
}

function storedPart(
  hour: Hour,
  { name, parts }: SignatureBlock,
  group: SignatureGroup,
  part: number,
): StoredPart {
  const id = partName(group, part);
  return {
    key: partKey(hour, name, id),
    add(item) {
      const [from, to] = partRange(group, part);
      const rows = item?.["rows"]?.B;
      if (rows?.length !== to - from) return false;
      parts.set(id, rows);
      return true;
    },
  };
}

/** Returns the ids of messages that may match, newest first. The parts that the search needs must be in memory. */
export function idsInBlock(block: SignatureBlock, hashes: Uint32Array, decodedText: boolean): string[] {
  const { groups, parts } = block;
  const marks = new Uint8Array(countOf(block));
  for (const group of groups) {
    const partOf = (part: number) => parts.get(partName(group, part)) as Uint8Array;
    markMatches(group, hashes, decodedText, partOf, marks);
  }
  const found: string[] = [];
  for (let at = marks.indexOf(1); at >= 0; at = marks.indexOf(1, at + 1)) found.push(idAt(block, at));
  return found;
}

/** The id of one message of a block. */
export function idAt({ ids }: SignatureBlock, at: number): string {
  return ids.slice(at * idLength, (at + 1) * idLength);
}

/** The ids of a block below one, oldest first. */
export function idsBelow(block: SignatureBlock, below: string): string[] {
  const found: string[] = [];
  for (let at = countOf(block) - 1; at >= 0; at--) {
    const id = idAt(block, at);
    if (id >= below) break;
    found.push(id);
  }
  return found;
}

/** Bytes of memory. */
export function bytesOfBlock(block: SignatureBlock): number {
  // The ids, and a number for each member of a group.
  let bytes = countOf(block) * (idLength + 8);
  for (const { length } of block.parts.values()) bytes += length + 100;
  return bytes;
}

/** The version that an item of a block or of an hour has. */
function versionOf(item: Item | undefined): BlockVersion {
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
