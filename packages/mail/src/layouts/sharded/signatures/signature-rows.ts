import type { Item } from "@tablekeep/core";

/**
 * Signatures arranged by bits. A row has one bit of every signature of a size, so that a search reads the rows of the bits that it
 * needs, and not all signatures. Rows that follow each other are stored together, in parts.
 */

/** Signatures of one size and kind. */
export interface SignatureGroup {
  readonly code: number;
  /** Bytes of a signature; 0 if these messages have none. */
  readonly size: number;
  /** Whether the signatures are only for searches of decoded text. */
  readonly textOnly: boolean;
  /** Which messages of the block these are, in order. A row has a bit for each. */
  readonly members: readonly number[];
  readonly rowBytes: number;
  readonly rowsInPart: number;
  /** How many parts the rows have. */
  readonly parts: number;
}

/** The maximum bytes of rows in a part: with its key, it stays below 16 KiB. */
const maxPartBytes = 16 * 1024 - 128;

/** Added to the code of a signature that is only for decoded text. */
const textCode = 16;

/** The maximum number of rows that a search reads. With ten, less than one in a thousand messages matches by chance. */
const maxRows = 10;

/** Returns the code of a message's signature: its kind and the exponent of its size; 0 if it has none. */
export function codeOf(item: Item): number {
  const all = exponentOf(item["all"]?.B);
  if (all > 0) return all;
  const text = exponentOf(item["text"]?.B);
  return text > 0 ? textCode + text : 0;
}

/** The exponent of a signature's size; 0 if it is absent, or of a size that none has. */
function exponentOf(signature: Uint8Array | undefined): number {
  const exponent = Math.log2(signature?.length ?? 1);
  return Number.isInteger(exponent) && exponent < textCode ? exponent : 0;
}

/** Returns the groups of signatures with these codes, lowest code first. */
export function groupsOf(codes: Uint8Array): SignatureGroup[] {
  const members = new Map<number, number[]>();
  codes.forEach((code, at) => {
    const found = members.get(code);
    if (found === undefined) members.set(code, [at]);
    else found.push(at);
  });
  return [...members].sort(([one], [other]) => one - other).map(([code, each]) => groupOf(code, each));
}

function groupOf(code: number, members: readonly number[]): SignatureGroup {
  const textOnly = code >= textCode;
  const size = code === 0 ? 0 : 2 ** (textOnly ? code - textCode : code);
  const rowBytes = Math.ceil(members.length / 8);
  const rowsInPart = Math.min(size * 8, Math.max(1, Math.floor(maxPartBytes / rowBytes)));
  const parts = size === 0 ? 0 : Math.ceil((size * 8) / rowsInPart);
  return { code, size, textOnly, members, rowBytes, rowsInPart, parts };
}

/** Returns the rows of a group, one after the other. `signatures` are those of its members, in order. */
export function rowsOf({ size, rowBytes }: SignatureGroup, signatures: readonly Uint8Array[]): Uint8Array {
  const rows = new Uint8Array(size * 8 * rowBytes);
  signatures.forEach((signature, member) => {
    const column = member >> 3;
    const mask = 1 << (member & 7);
    for (let byte = 0; byte < size; byte++) {
      for (let bits = signature[byte] as number; bits !== 0; bits &= bits - 1) {
        const at = (byte * 8 + 31 - Math.clz32(bits & -bits)) * rowBytes + column;
        rows[at] = (rows[at] as number) | mask;
      }
    }
  });
  return rows;
}

/** The bytes of a group's rows in a part. */
export function partRange(group: SignatureGroup, part: number): readonly [from: number, to: number] {
  const { size, rowBytes, rowsInPart } = group;
  const bytes = rowsInPart * rowBytes;
  return [part * bytes, Math.min((part + 1) * bytes, size * 8 * rowBytes)];
}

/** The parts that a search needs of a group; none if the signatures do not help it. */
export function partsNeeded(group: SignatureGroup, hashes: Uint32Array, decodedText: boolean): Set<number> {
  const needed = new Set<number>();
  if (!isCompared(group, decodedText)) return needed;
  for (const row of rowsNeeded(group, hashes)) needed.add(Math.floor(row / group.rowsInPart));
  return needed;
}

function isCompared({ size, textOnly }: SignatureGroup, decodedText: boolean): boolean {
  return size > 0 && (decodedText || !textOnly);
}

/** The rows of a search: those of a long query are chosen from all of it. */
function rowsNeeded({ size }: SignatureGroup, hashes: Uint32Array): number[] {
  const step = Math.max(1, hashes.length / maxRows);
  const rows: number[] = [];
  for (let at = 0; at < hashes.length; at += step)
    rows.push((hashes[Math.floor(at)] as number) & (size * 8 - 1));
  return rows;
}

/** Marks the messages of a group that may match. `partOf` returns the parts that {@link partsNeeded} names. */
export function markMatches(
  group: SignatureGroup,
  hashes: Uint32Array,
  decodedText: boolean,
  partOf: (part: number) => Uint8Array,
  marks: Uint8Array,
): void {
  const { members, rowBytes, rowsInPart } = group;
  const both = new Uint8Array(rowBytes).fill(255);
  if (isCompared(group, decodedText)) {
    for (const row of rowsNeeded(group, hashes)) {
      const bytes = partOf(Math.floor(row / rowsInPart));
      const start = (row % rowsInPart) * rowBytes;
      for (let at = 0; at < rowBytes; at++) both[at] = (both[at] as number) & (bytes[start + at] as number);
    }
  }
  for (let at = 0; at < rowBytes; at++) {
    for (let bits = both[at] as number; bits !== 0; bits &= bits - 1) {
      const member = members[at * 8 + 31 - Math.clz32(bits & -bits)];
      if (member !== undefined) marks[member] = 1;
    }
  }
}
