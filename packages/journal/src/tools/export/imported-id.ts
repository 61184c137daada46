import { type EventRow, firstOfBatch, lastOfBatch } from "../../rows/event-row.ts";
import { exportInvalid } from "../copy/copy-errors.ts";
import type { ExportedEvent } from "./export-format.ts";
import type { LineReader } from "./read-export.ts";

const memberNames: Readonly<Record<keyof ExportedEvent, true>> = {
  persistenceId: true,
  sequenceNr: true,
  bytes: true,
  serializerId: true,
  serializerManifest: true,
  payload: true,
  manifest: true,
  writerUuid: true,
  timestamp: true,
  tags: true,
  metadata: true,
  expiresAt: true,
  batch: true,
  deleted: true,
  confirmations: true,
  sender: true,
  byAkka: true,
};

/** The row of an exported event. Throws `JOURNAL_EXPORT_INVALID` if one of its members is not what it should be. */
export function importedRow(line: ExportedEvent, number: number): EventRow {
  const check = new LineCheck(line as unknown as Record<string, unknown>, number);
  const { metadata, batch } = line;
  check.names(memberNames);
  return {
    kind: "event",
    persistenceId: check.text("persistenceId"),
    sequenceNr: check.number("sequenceNr", 1),
    payload: {
      serializerId: check.number("serializerId", -(2 ** 31)),
      manifest: check.text("serializerManifest"),
      bytes: check.bytes("bytes"),
    },
    manifest: check.text("manifest"),
    writerUuid: check.text("writerUuid"),
    ...(line.timestamp !== undefined && { timestamp: check.number("timestamp", 0) }),
    tags: check.texts("tags"),
    ...(metadata !== undefined && { metadata: check.encoded("metadata") }),
    ...(line.expiresAt !== undefined && { expiresAt: check.number("expiresAt", 0) }),
    ...(batch !== undefined && { batch: check.place("batch") }),
    ...(line.deleted === true && { deleted: true }),
    ...(line.confirmations !== undefined && { confirmations: check.texts("confirmations") }),
    ...(line.sender !== undefined && { sender: check.text("sender") }),
    staged: false,
  };
}

/** Reads the members of a line and checks their types. */
class LineCheck {
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #number: number;

  constructor(members: Readonly<Record<string, unknown>>, number: number) {
    this.#members = members;
    this.#number = number;
  }

  /** Refuses a member that would be lost. */
  names(known: object): void {
    for (const name of Object.keys(this.#members))
      if (!Object.hasOwn(known, name))
        this.#refuse(
          JSON.stringify(name),
          "is not a member of an event: use a newer Tablekeep, or remove it",
        );
  }

  text(name: string): string {
    const value = this.#members[name];
    return typeof value === "string" ? value : this.#refuse(name, "is not a string");
  }

  number(name: string, least: number): number {
    const value = this.#members[name];
    if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
    return this.#refuse(name, `is not an integer of at least ${least}`);
  }

  texts(name: string): readonly string[] {
    const value = this.#members[name];
    const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
    return isList ? (value as string[]) : this.#refuse(name, "is not a list of strings");
  }

  bytes(name: string): Uint8Array {
    const text = this.text(name);
    const bytes = Buffer.from(text, "base64");
    return bytes.toString("base64") === text ? new Uint8Array(bytes) : this.#refuse(name, "is not base64");
  }

  encoded(name: string): NonNullable<EventRow["metadata"]> {
    const inner = this.#inner(name);
    return {
      serializerId: inner.number("serializerId", -(2 ** 31)),
      manifest: inner.text("manifest"),
      bytes: inner.bytes("bytes"),
    };
  }

  place(name: string): NonNullable<EventRow["batch"]> {
    const [index, lastIndex] = (this.#members[name] ?? []) as unknown[];
    if (!Number.isSafeInteger(index) || !Number.isSafeInteger(lastIndex))
      return this.#refuse(name, "is not a pair of integers");
    const place = { index: index as number, lastIndex: lastIndex as number };
    if (place.index >= 0 && place.index <= place.lastIndex) return place;
    return this.#refuse(name, "has an index beyond the last");
  }

  #inner(name: string): LineCheck {
    const value = this.#members[name];
    if (typeof value !== "object" || value === null) return this.#refuse(name, "is not an object");
    return new LineCheck(value as Record<string, unknown>, this.#number);
  }

  #refuse(name: string, reason: string): never {
    throw exportInvalid(this.#number, `is not an event: ${name} ${reason}`);
  }
}

/** The part of an export about one id. */
export class ImportedId {
  readonly #lines: LineReader;
  readonly #persistenceId: string;
  readonly #lowest: number;
  readonly #highest: number;
  /** Whether the line that ends the id has come. */
  ended = false;
  /** Its events so far, with those of earlier parts. */
  events: number;

  constructor(
    lines: LineReader,
    {
      persistenceId,
      lowest,
      highest,
    }: { readonly persistenceId: string; readonly lowest: number; readonly highest: number },
    before: number,
  ) {
    this.#lines = lines;
    this.#persistenceId = persistenceId;
    this.#lowest = lowest;
    this.#highest = highest;
    this.events = before;
  }

  /** Its atomic writes, each whole. An atomic write that the file cuts off is left to the next run. */
  async *writes(): AsyncGenerator<readonly EventRow[], void, undefined> {
    let write: EventRow[] = [];
    let before = 0;
    for (;;) {
      const next = await this.#lines.peek();
      if (next === undefined || "id" in next.line || "complete" in next.line) return;
      await this.#lines.next();
      if ("end" in next.line) {
        if (next.line.end !== this.#persistenceId || write.length > 0)
          throw exportInvalid(next.number, "ends an id or an atomic write that was not started");
        checkCount(next.number, next.line.events, this.events, "events");
        this.ended = true;
        return;
      }
      if (!("sequenceNr" in next.line)) throw exportInvalid(next.number, "is not a line of an export");
      const row = importedRow(next.line, next.number);
      if (row.persistenceId !== this.#persistenceId || row.sequenceNr <= before)
        throw exportInvalid(next.number, "is out of order");
      if (row.sequenceNr > this.#highest)
        throw exportInvalid(next.number, `is above the highest sequence number of the id, ${this.#highest}`);
      if (write.length > 0 && row.sequenceNr !== before + 1)
        throw exportInvalid(next.number, "interrupts the atomic write before it");
      if (write.length === 0 && firstOfBatch(row) < row.sequenceNr && row.sequenceNr > this.#lowest)
        throw exportInvalid(next.number, "is not the first event of its atomic write");
      before = row.sequenceNr;
      write.push(row);
      if (lastOfBatch(row) > row.sequenceNr) continue;
      this.events += write.length;
      yield write;
      write = [];
    }
  }
}

/**
 * Throws if lines of an export are missing, by the number of events or ids that it says it has: a hole in the file would be taken for one in
 * the journal.
 */
export function checkCount(line: number, said: unknown, found: number, what: "events" | "ids"): void {
  if (said === found) return;
  const todo = what === "ids" ? "" : ", and purge the id in the target before the next import";
  throw exportInvalid(
    line,
    `says that there are ${String(said)} ${what}, but ${found} came before it: lines are missing (export the journal again${todo})`,
  );
}
