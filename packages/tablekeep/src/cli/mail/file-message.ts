import type { Envelope, MailMarks } from "@tablekeep/mail";
import { readHeaders } from "@tablekeep/mail/mime";
import { CliError, unreadableFile } from "../frame/cli-error.ts";

/** A message to import. */
export interface FileMessage {
  /** Its location, for error messages: the file, and the position of the message if the file has several. */
  readonly place: string;
  readonly raw: Buffer;
  /** The SMTP envelope, if the source contains it. */
  readonly envelope?: Envelope;
  /** The sender of the envelope, if the source contains nothing else of it. */
  readonly sender?: string;
  /** When it was received according to the source, in milliseconds since 1970; NaN or undefined if unknown. */
  readonly created?: number;
  /** Its id in the source, if it has one. */
  readonly id?: string;
  /** Its position among the messages of the source with the same time, if these have an order. */
  readonly position?: number;
  /** The mbox file that contains it; undefined for a file of one message. */
  readonly mbox?: string;
  /** Its read state and tags, if the source contains them. */
  readonly marks?: FileMarks;
}

/** The marks of a message in a file. */
export type FileMarks = Pick<MailMarks, "read" | "tags">;

/** A larger file cannot contain a message that a store accepts. */
export const maxFileBytes = 1_073_741_824;

/** The number of bytes of a message that are searched for a header field. */
const headerBytes = 65_536;

/** The first header field with this name, in lower case; undefined if there is none. */
export function headerOf(raw: Uint8Array, wanted: string): string | undefined {
  return readHeaders(raw.subarray(0, headerBytes)).find(({ name }) => name.toLowerCase() === wanted)?.value;
}

/** The time in the header of a message. */
export function sentAt(raw: Uint8Array): number | undefined {
  const time = Date.parse((headerOf(raw, "date") ?? "").replace(/\([^()]*\)/g, " ").trim());
  return Number.isFinite(time) && time >= 0 ? time : undefined;
}

export function tooLarge(place: string): CliError {
  return new CliError("CLI_FILE_INVALID", `${place} is larger than ${maxFileBytes} bytes`);
}

/** The result of reading a path, with errors that name it. */
export async function readable<Value>(path: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw unreadableFile(path, error);
  }
}
