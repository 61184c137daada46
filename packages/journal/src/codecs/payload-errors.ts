import { JournalError } from "../errors/journal-error.ts";
import type { EncodedPayload } from "./codec.ts";

/** The error for a payload that cannot be written without loss. `reason` continues the path: "is a Date". */
export function payloadRefused(
  serializerId: number,
  path: string,
  reason: string,
  cause?: unknown,
): JournalError<"JOURNAL_PAYLOAD_REFUSED"> {
  const details = { serializerId, path, reason };
  return new JournalError("JOURNAL_PAYLOAD_REFUSED", `${path} ${reason}`, details, { cause });
}

/** The error for bytes that their serializer cannot have written. */
export function payloadCorrupt(
  { serializerId, manifest }: EncodedPayload,
  reason: string,
  cause?: unknown,
): JournalError<"JOURNAL_PAYLOAD_CORRUPT"> {
  return new JournalError(
    "JOURNAL_PAYLOAD_CORRUPT",
    `the payload of serializer ${serializerId} ${reason} (restore the item, or register a codec that reads it)`,
    { serializerId, manifest, reason },
    { cause },
  );
}

/** The error for a payload that would be too large after unpacking. */
export function payloadTooLarge(
  serializerId: number,
  maximum: number,
): JournalError<"JOURNAL_PAYLOAD_TOO_LARGE"> {
  return new JournalError(
    "JOURNAL_PAYLOAD_TOO_LARGE",
    `the decompressed payload of serializer ${serializerId} has more than ${maximum} bytes (raise maxPayloadBytes if you trust the data)`,
    { serializerId, maximum },
  );
}
