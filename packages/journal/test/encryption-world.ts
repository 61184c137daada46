import { createDecipheriv } from "node:crypto";
import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import type { Codecs } from "../src/codecs/codec.ts";
import {
  type EncryptedCodecsOptions,
  encryptedCodecs,
  type KeyStore,
  type KeyStoreOptions,
  keyTableSpec,
  openKeyStore,
} from "../src/encryption/index.ts";

/** Opens keys in the table `keys`, which is made if it is not there. */
export async function keysOn(port: DynamoPort, options: KeyStoreOptions = {}): Promise<KeyStore> {
  await ensureTable(port, keyTableSpec(options.table));
  return openKeyStore(port, options);
}

/** Codecs that encrypt for the `who` of a payload, or of a state. */
export function encryptedFor(keys: KeyStore, more: Partial<EncryptedCodecsOptions> = {}): Codecs {
  return encryptedCodecs({
    keys,
    subjectOf: ({ content }) => (content as { who?: string } | undefined)?.who,
    ...more,
  });
}

/** What the reference says about an encrypted payload, read without any code of the package. */
export interface Opened {
  readonly serializerId: number;
  readonly subject: string;
  readonly clear: string;
  readonly compressed: boolean;
  readonly plain: Buffer;
}

const parts = { event: 1, metadata: 2, snapshot: 3, "snapshot-metadata": 4 } as const;

/** Decrypts by the documented format, with Node's crypto alone. */
export function openByHand(
  stored: { readonly manifest: string; readonly bytes: Uint8Array },
  key: Uint8Array,
  place: { readonly part: keyof typeof parts; readonly persistenceId: string; readonly sequenceNr: number },
): Opened {
  const bytes = Buffer.from(stored.bytes);
  if (bytes[0] !== 1) throw new Error(`version ${bytes[0]}`);
  const subjectLength = bytes.readUInt16LE(17);
  const clearLength = bytes.readUInt32LE(19);
  const start = 23 + subjectLength + clearLength;
  const manifest = Buffer.from(stored.manifest, "utf8");
  const behind = Buffer.alloc(13);
  behind[0] = parts[place.part];
  behind.writeBigUInt64LE(BigInt(place.sequenceNr), 1);
  behind.writeUInt32LE(manifest.length, 9);
  const aad = [
    bytes.subarray(0, 1),
    bytes.subarray(13, start),
    behind,
    manifest,
    Buffer.from(place.persistenceId),
  ];
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(1, 13));
  decipher.setAAD(Buffer.concat(aad));
  decipher.setAuthTag(bytes.subarray(bytes.length - 16));
  const plain = Buffer.concat([decipher.update(bytes.subarray(start, bytes.length - 16)), decipher.final()]);
  return {
    serializerId: bytes.readInt32LE(13),
    subject: bytes.toString("utf8", 23, 23 + subjectLength),
    clear: bytes.toString("utf8", 23 + subjectLength, start),
    compressed: plain[0] === 1,
    plain: plain.subarray(1),
  };
}
