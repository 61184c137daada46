import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { nonceLength, tagLength } from "../codecs/encrypted-envelope.ts";
import type { MaybePromise } from "../codecs/maybe-promise.ts";
import { optionInvalid } from "../errors/journal-error.ts";
import { keyUnreadable } from "./key-errors.ts";

/** Bytes of a key. */
export const keyLength = 32;

/** How keys are protected in their table. At most one of the two. */
export interface WrappingOptions {
  /** A key of 32 bytes that encrypts the stored keys. @default stored keys are not encrypted */
  readonly masterKey?: Uint8Array;
  /** Encrypts a key before it is stored, for example with a key management service. Needs `unwrap`. @default none */
  readonly wrap?: (key: Uint8Array, subject: string) => MaybePromise<Uint8Array>;
  /** Decrypts what `wrap` returned. @default none */
  readonly unwrap?: (wrapped: Uint8Array, subject: string) => MaybePromise<Uint8Array>;
}

/** How a key is stored: unencrypted, encrypted by the master key, or by functions of the caller. */
export type WrapName = "none" | "master" | "custom";

export interface KeyWrapping {
  readonly name: WrapName;
  /** Returns a key in the form to store. Throws if it could not be read back: everything encrypted with it would be lost. */
  wrap(key: Uint8Array, subject: string): Promise<Uint8Array>;
  /** Returns a stored key. Keys that were stored before there was any wrapping stay readable. */
  unwrap(stored: Uint8Array, by: string, subject: string): Promise<Uint8Array>;
}

/** Returns how keys are wrapped and unwrapped. Throws for options that do not fit together. */
export function keyWrapping({ masterKey, wrap, unwrap }: WrappingOptions): KeyWrapping {
  if ((wrap === undefined) !== (unwrap === undefined))
    throw optionInvalid(wrap === undefined ? "wrap" : "unwrap", "is missing: both are needed");
  if (masterKey !== undefined && wrap !== undefined)
    throw optionInvalid("masterKey", "must not be given together with wrap");
  const name = wrap !== undefined ? "custom" : masterKey !== undefined ? "master" : "none";
  return {
    name,
    async wrap(key, subject) {
      if (masterKey !== undefined) return wrapByMaster(masterKey, key, subject);
      if (wrap === undefined || unwrap === undefined) return key;
      // Copies: neither function may change what is stored and used.
      const wrapped: unknown = await wrap(Uint8Array.from(key), subject);
      if (!(wrapped instanceof Uint8Array) || wrapped.length === 0)
        throw keyUnreadable(subject, "is not stored: `wrap` must return its encrypted bytes");
      const again: unknown = await unwrap(Uint8Array.from(wrapped), subject);
      if (!(again instanceof Uint8Array) || Buffer.compare(again, key) !== 0)
        throw keyUnreadable(subject, "is not stored: `unwrap` does not return what `wrap` was given");
      return wrapped;
    },
    async unwrap(stored, by, subject) {
      const unwrapOne = async () => {
        if (by === "none") return stored;
        if (by === "master" && masterKey !== undefined) return unwrapByMaster(masterKey, stored, subject);
        if (by === "custom" && unwrap !== undefined) return unwrap(stored, subject);
        throw keyUnreadable(
          subject,
          `is stored with wrapping ${JSON.stringify(by)}, which is not configured`,
        );
      };
      const key: unknown = await unwrapOne();
      if (key instanceof Uint8Array && key.length === keyLength) return key;
      throw keyUnreadable(subject, `must have ${keyLength} bytes`);
    },
  };
}

function wrapByMaster(masterKey: Uint8Array, key: Uint8Array, subject: string): Uint8Array {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv("aes-256-gcm", masterKey, nonce).setAAD(masterData(subject));
  const encrypted = Buffer.concat([cipher.update(key), cipher.final()]);
  return Buffer.concat([nonce, encrypted, cipher.getAuthTag()]);
}

function unwrapByMaster(masterKey: Uint8Array, stored: Uint8Array, subject: string): Uint8Array {
  if (stored.length !== nonceLength + keyLength + tagLength)
    throw keyUnreadable(subject, "differs from what was stored");
  const nonce = stored.subarray(0, nonceLength);
  const decipher = createDecipheriv("aes-256-gcm", masterKey, nonce, { authTagLength: tagLength })
    .setAAD(masterData(subject))
    .setAuthTag(stored.subarray(nonceLength + keyLength));
  try {
    const key = decipher.update(stored.subarray(nonceLength, nonceLength + keyLength));
    return Buffer.concat([key, decipher.final()]);
  } catch (error) {
    throw keyUnreadable(subject, "cannot be decrypted by this master key, or was changed", error);
  }
}

function masterData(subject: string): Uint8Array {
  return Buffer.from(`tablekeep subject key\0${subject}`);
}
