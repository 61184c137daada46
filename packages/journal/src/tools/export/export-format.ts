import type { EncodedPayload } from "../../codecs/codec.ts";

/** The first line of an export. */
export interface ExportHead {
  readonly format: "tablekeep-journal";
  readonly version: 1;
}

/** Begins an id. May come again for the same id where an export was resumed. */
export interface ExportedId {
  readonly id: string;
  readonly lowest: number;
  readonly highest: number;
}

/** One event. */
export interface ExportedEvent {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  /** The payload as it was stored, base64. What counts when it is imported. */
  readonly bytes: string;
  readonly serializerId: number;
  readonly serializerManifest: string;
  /** The payload decoded, for people and programs that read the file; left out where JSON cannot hold it exactly. */
  readonly payload?: unknown;
  readonly manifest: string;
  readonly writerUuid: string;
  /** Milliseconds; left out where none was stored. */
  readonly timestamp?: number;
  readonly tags: readonly string[];
  readonly metadata?: ExportedBytes;
  /** When it expires, in milliseconds since 1970; left out if never. */
  readonly expiresAt?: number;
  /** Its index in an atomic write, and the index of the last; left out for a single event. */
  readonly batch?: readonly [index: number, lastIndex: number];
  readonly deleted?: true;
  readonly confirmations?: readonly string[];
  readonly sender?: string;
  /** An Akka plugin wrote the event. */
  readonly byAkka?: true;
}

export interface ExportedBytes {
  readonly serializerId: number;
  readonly manifest: string;
  /** base64 */
  readonly bytes: string;
}

/** Ends an id. */
export interface ExportedEnd {
  readonly end: string;
  readonly events: number;
}

/** The last line of a complete export. */
export interface ExportFoot {
  readonly complete: true;
  readonly ids: number;
}

export type ExportLine = ExportHead | ExportedId | ExportedEvent | ExportedEnd | ExportFoot;

export function bytesToText({ serializerId, manifest, bytes }: EncodedPayload): ExportedBytes {
  return { serializerId, manifest, bytes: base64(bytes) };
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Whether JSON keeps a value exactly: what is parsed again is the same. */
export function isJsonSafe(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      return value === null || (depth < maxDepth && isPlain(value) && membersAreSafe(value, depth + 1));
    default:
      return false;
  }
}

/** Deeper data is left to its bytes. */
const maxDepth = 100;

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function membersAreSafe(value: object, depth: number): boolean {
  return (
    !Object.hasOwn(value, "__proto__") && Object.values(value).every((member) => isJsonSafe(member, depth))
  );
}
