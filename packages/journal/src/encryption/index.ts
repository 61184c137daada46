/**
 * Encryption of events and snapshots with a key for each subject, so that forgetting the key makes them permanently unreadable.
 *
 * Here: codecs that encrypt, and a key store in a DynamoDB table. Not here: a key management service; its functions are passed as
 * `wrap` and `unwrap`.
 */
export {
  type EncryptedCodecsOptions,
  type EncryptedContent,
  encryptedCodecs,
} from "./encrypted-codecs.ts";
export type { KeyStore, SubjectKey } from "./key-store.ts";
export type { WrappingOptions } from "./key-wrapping.ts";
export { type KeyStoreOptions, keyTableSpec, openKeyStore } from "./open-key-store.ts";
