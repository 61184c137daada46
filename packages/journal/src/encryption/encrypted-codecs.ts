import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { isTablekeepError, type OptionChecks, optionCheck } from "@tablekeep/core";
import { MalformedBytes, UnsupportedBytes } from "../codecs/bytes.ts";
import {
  type Codecs,
  type EncodedPayload,
  forgottenPayload,
  type PayloadContext,
  type PayloadPart,
} from "../codecs/codec.ts";
import { compressedIdentity } from "../codecs/compression.ts";
import { createCodecs } from "../codecs/create-codecs.ts";
import {
  authenticatedData,
  type Envelope,
  encodeEnvelopeHead,
  nonceLength,
  readEnvelope,
  tagLength,
} from "../codecs/encrypted-envelope.ts";
import { continueWith, type MaybePromise } from "../codecs/maybe-promise.ts";
import { payloadCorrupt, payloadRefused } from "../codecs/payload-errors.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";
import { joinMetadata, splitMetadata } from "../context/event-metadata.ts";
import { checkOptions } from "../errors/journal-error.ts";
import { keyMissing, keyUnavailable, keyUnreadable, subjectForgotten } from "./key-errors.ts";
import type { KeyStore, SubjectKey } from "./key-store.ts";
import { keyLength } from "./key-wrapping.ts";
import { subjectProblem } from "./open-key-store.ts";

/** The content to encrypt, as passed to `subjectOf`. */
export interface EncryptedContent {
  readonly kind: "event" | "snapshot";
  readonly persistenceId: string;
  readonly sequenceNr: number;
  /** The payload of the event, or the state of the snapshot. */
  readonly content: unknown;
}

/** Options of `encryptedCodecs`. */
export interface EncryptedCodecsOptions {
  /** The store of the keys. */
  readonly keys: KeyStore;
  /**
   * Returns whose key encrypts an event, with its metadata, or a snapshot; undefined stores it unencrypted. The name is stored in the
   * clear: use an opaque id, not a name or an address.
   */
  readonly subjectOf: (of: EncryptedContent) => string | undefined;
  /** Encodes payloads before encryption. @default as `createCodecs` does without options */
  readonly codecs?: Codecs;
}

const checks: OptionChecks<EncryptedCodecsOptions> = {
  keys: optionCheck.objectWith("get", "getOrCreate", "forget"),
  subjectOf: optionCheck.callback,
  codecs: optionCheck.objectWith("encode", "decode", "unpack"),
};

const noBytes = new Uint8Array();
/** The first byte of the encrypted data: whether it is compressed. */
const plainMark = Uint8Array.of(0);
const compressedMark = Uint8Array.of(1);

/**
 * Returns codecs that encrypt events, metadata and snapshots with a key for each subject, by AES-256-GCM. After `keys.forget(subject)` its events
 * replay with `gone: "forgotten"` and without a payload, and its snapshots count as absent. An encrypted payload can only be read where it was
 * stored: at its persistence id and sequence number.
 *
 * @example
 * const codecs = encryptedCodecs({ keys, subjectOf: ({ persistenceId }) => persistenceId });
 * const journal = await openJournal(port, { codecs });
 */
export function encryptedCodecs(options: EncryptedCodecsOptions): Codecs {
  checkOptions(options, checks);
  const { keys, codecs = createCodecs() } = options;
  return {
    encode(payload, as, place) {
      const { ids, metadata } = place?.part === "metadata" ? splitMetadata(payload) : { metadata: payload };
      const subject = place && metadata !== undefined ? subjectFor(options, place) : undefined;
      if (place === undefined || subject === undefined) return codecs.encode(payload, as, place);
      const clear = ids === undefined ? noBytes : Buffer.from(JSON.stringify(ids));
      return continueWith(codecs.encode(metadata, as, place), (encoded) => {
        if (encoded.serializerId === ownSerializers.encrypted)
          throw payloadRefused(
            encoded.serializerId,
            "payload",
            "is already encrypted for another id or sequence number",
          );
        return continueWith(
          keyOf(subject, () => keys.getOrCreate(subject)),
          (key) => {
            if (key === "forgotten") throw subjectForgotten(subject);
            return seal(key, subject, encoded, clear, place);
          },
        );
      });
    },
    decode(encoded, place) {
      if (encoded.serializerId !== ownSerializers.encrypted || place === undefined)
        return codecs.decode(encoded, place);
      const envelope = envelopeOf(encoded);
      // A later version: treated like any payload that no codec handles.
      if (envelope === undefined) return encoded;
      const { subject, clear } = envelope;
      if (subjectProblem(subject) !== undefined) throw payloadCorrupt(encoded, "has an invalid subject");
      const ids = clear.length === 0 ? undefined : idsOf(encoded, clear);
      const join = (metadata: unknown) => (ids === undefined ? metadata : joinMetadata(ids, metadata));
      return continueWith(
        keyOf(subject, () => keys.get(subject)),
        (key) => {
          if (key === undefined) throw keyMissing(subject);
          if (key === "forgotten") return ids === undefined ? forgottenPayload : joinMetadata(ids, undefined);
          return continueWith(codecs.decode(unseal(key, envelope, encoded, place), place), join);
        },
      );
    },
    unpack: (encoded) => codecs.unpack(encoded),
  };
}

const kinds: Readonly<Record<PayloadPart, EncryptedContent["kind"]>> = {
  event: "event",
  metadata: "event",
  snapshot: "snapshot",
  "snapshot-metadata": "snapshot",
};

function subjectFor({ subjectOf }: EncryptedCodecsOptions, place: PayloadContext): string | undefined {
  const { part, persistenceId, sequenceNr, content } = place;
  let subject: string | undefined;
  try {
    subject = subjectOf({ kind: kinds[part], persistenceId, sequenceNr, content });
  } catch (error) {
    if (isTablekeepError(error)) throw error;
    throw payloadRefused(ownSerializers.encrypted, "payload", "was refused by `subjectOf`", error);
  }
  const reason = subject === undefined ? undefined : subjectProblem(subject);
  if (reason === undefined) return subject;
  throw payloadRefused(ownSerializers.encrypted, "payload", `has an invalid subject: it ${reason}`);
}

/** The result of a key store. Its failures are never the payload's fault. */
function keyOf<Found extends SubjectKey | undefined>(
  subject: string,
  read: () => MaybePromise<Found>,
): MaybePromise<Found> {
  try {
    const found = read();
    if (!(found instanceof Promise)) return checkedKey(subject, found);
    return found.then(
      (key) => checkedKey(subject, key),
      (error: unknown) => Promise.reject(keyUnavailable(subject, error)),
    );
  } catch (error) {
    throw keyUnavailable(subject, error);
  }
}

/** Checks the result, because key stores may be the application's own. */
function checkedKey<Found extends SubjectKey | undefined>(subject: string, found: Found): Found {
  if (found === undefined || found === "forgotten") return found;
  if (found instanceof Uint8Array && found.length === keyLength) return found;
  throw keyUnreadable(subject, `must be ${keyLength} bytes (check what the key store returns)`);
}

function seal(
  key: Uint8Array,
  subject: string,
  encoded: EncodedPayload,
  clear: Uint8Array,
  place: PayloadContext,
): EncodedPayload {
  const isCompressed = encoded.serializerId === ownSerializers.compressed;
  const { serializerId, manifest } = isCompressed ? compressedIdentity(encoded.bytes) : encoded;
  // Random, and not the sequence number: two writers that compete for one encrypt different payloads for it.
  const nonce = randomBytes(nonceLength);
  const head = encodeEnvelopeHead({ nonce, serializerId, subject, clear });
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(authenticatedData(head, manifest, place));
  const bytes = Buffer.concat([
    head,
    cipher.update(isCompressed ? compressedMark : plainMark),
    cipher.update(encoded.bytes),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return { serializerId: ownSerializers.encrypted, manifest, bytes };
}

function envelopeOf(encoded: EncodedPayload): Envelope | undefined {
  try {
    return readEnvelope(encoded.bytes);
  } catch (error) {
    if (error instanceof UnsupportedBytes) return undefined;
    if (error instanceof MalformedBytes) throw payloadCorrupt(encoded, error.message, error);
    throw error;
  }
}

/** The ids of an event, which stay in the clear: they identify it in every copy, even after its subject is forgotten. */
function idsOf(encoded: EncodedPayload, clear: Uint8Array): object {
  try {
    const ids: unknown = JSON.parse(Buffer.from(clear).toString());
    if (typeof ids === "object" && ids !== null) return ids;
  } catch (error) {
    throw payloadCorrupt(encoded, "has ids that cannot be read", error);
  }
  throw payloadCorrupt(encoded, "has ids that cannot be read");
}

function unseal(
  key: Uint8Array,
  { nonce, head, encrypted, tag, serializerId }: Envelope,
  encoded: EncodedPayload,
  place: PayloadContext,
): EncodedPayload {
  const { manifest } = encoded;
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength })
    .setAAD(authenticatedData(head, manifest, place))
    .setAuthTag(tag);
  let plain: Uint8Array;
  try {
    plain = Buffer.concat([decipher.update(encrypted), decipher.final()]);
  } catch (error) {
    const reason =
      "cannot be decrypted: it was modified, was moved from another id or sequence number, or was encrypted with another key";
    throw payloadCorrupt(encoded, reason, error);
  }
  const bytes = plain.subarray(1);
  return plain[0] === compressedMark[0]
    ? { serializerId: ownSerializers.compressed, manifest: "", bytes }
    : { serializerId, manifest, bytes };
}
