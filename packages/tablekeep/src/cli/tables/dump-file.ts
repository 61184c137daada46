import { open } from "node:fs/promises";
import type { Item, TableDescription } from "@tablekeep/core";
import { InvalidItemError, parseItem } from "../../json/dynamodb-json.ts";
import { CliError, unreadableFile } from "../frame/cli-error.ts";
import { type DumpPiece, DumpSplitter, type WantedPieces } from "./dump-splitter.ts";
import { settingNames, settingsIn, type TableSettings } from "./table-settings.ts";

/** A dump file that is read part by part. */
export class DumpFile {
  readonly path: string;
  readonly description: TableDescription;
  readonly settings: TableSettings;
  readonly bytes: number;
  /** The bytes of the items read so far. */
  bytesRead = 0;

  private constructor(path: string, head: DumpHead) {
    this.path = path;
    this.description = head.description;
    this.settings = head.settings;
    this.bytes = head.bytes;
  }

  /**
   * Searches for the description and the settings before the items. If the description comes after them, the items are
   * skipped.
   */
  static async open(path: string, signal?: AbortSignal): Promise<DumpFile> {
    const head = (await readHead(path, true, signal)) ?? (await readHead(path, false, signal));
    if (head !== undefined) return new DumpFile(path, head);
    throw new CliError("CLI_DUMP_INVALID", `${path} is not a dump: missing TableDescription`);
  }

  /** The items, in the order of the file. */
  async *items(signal?: AbortSignal): AsyncGenerator<Item, void, undefined> {
    let number = 0;
    for await (const { text, at, read } of pieces(this.path, { items: true, member: () => false }, signal)) {
      number++;
      this.bytesRead = read;
      yield readItem(text, `${this.path}: item ${number}, at byte ${at}`);
    }
  }
}

interface DumpHead {
  readonly description: TableDescription;
  readonly settings: TableSettings;
  readonly bytes: number;
}

const headNames: ReadonlySet<string> = new Set(["TableDescription", ...settingNames]);

/** The members besides the items; undefined if there is no description, or none before the items. */
async function readHead(
  path: string,
  beforeItems: boolean,
  signal: AbortSignal | undefined,
): Promise<DumpHead | undefined> {
  const wanted = { items: beforeItems, member: (name: string) => headNames.has(name) };
  const members: Record<string, unknown> = {};
  let bytes = 0;
  for await (const { member, text, at, size } of pieces(path, wanted, signal)) {
    if (member === undefined) break;
    bytes = size;
    members[member] = parseJson(text, `${path}: ${member}, at byte ${at}`);
  }
  const { TableDescription: found, ...rest } = members;
  if (found === undefined) return undefined;
  return { description: checkedDescription(found, path), settings: settingsIn(rest, path), bytes };
}

interface FilePiece extends DumpPiece {
  readonly size: number;
  /** Bytes of the file that were read when this part was complete. */
  readonly read: number;
}

const chunkBytes = 256 * 1024;

async function* pieces(
  path: string,
  wanted: WantedPieces,
  signal: AbortSignal | undefined,
): AsyncGenerator<FilePiece, void, undefined> {
  const splitter = new DumpSplitter(wanted);
  await using file = await open(path).catch((error: unknown) => Promise.reject(unreadableFile(path, error)));
  const { size } = await file.stat();
  let read = 0;
  for (;;) {
    if (signal?.aborted) throw new CliError("CLI_ABORTED", "interrupted", signal.reason);
    // A new buffer each time, because unfinished parts hold slices of it.
    const { bytesRead, buffer } = await file
      .read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes)
      .catch((error: unknown) => Promise.reject(unreadableFile(path, error)));
    if (bytesRead === 0) break;
    read += bytesRead;
    for (const piece of splitter.push(buffer.subarray(0, bytesRead))) yield { ...piece, size, read };
  }
  splitter.end();
}

function checkedDescription(found: unknown, path: string): TableDescription {
  const description = found as TableDescription | null;
  if (typeof description?.TableName === "string" && Array.isArray(description.KeySchema)) return description;
  throw new CliError("CLI_DUMP_INVALID", `${path} is not a dump: TableDescription has no name or no keys`);
}

function readItem(text: string, where: string): Item {
  try {
    return parseItem(parseJson(text, where));
  } catch (error) {
    if (error instanceof InvalidItemError)
      throw new CliError("CLI_DUMP_INVALID", `${where}: ${error.message}`, error);
    throw error;
  }
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError("CLI_DUMP_INVALID", `${where}: invalid JSON`, error);
  }
}
