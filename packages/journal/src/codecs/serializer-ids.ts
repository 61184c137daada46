/** Ids of Akka's own serializers that are read or written here. */
export const akkaSerializers = {
  null: 0,
  java: 1,
  bytes: 4,
  long: 18,
  int: 19,
  string: 20,
  byteString: 21,
  jacksonJson: 31,
  /** Akka 2.6.4 and before called it CBOR and wrote JSON. */
  jacksonLegacy: 32,
  jacksonCbor: 33,
  boolean: 35,
} as const;

/**
 * Ids of our own serializers. Akka keeps 0 to 40 for itself and people count up from small round numbers: these are
 * neither, so that an Akka reader fails on them with "unknown serializer" instead of reading something else.
 */
export const ownSerializers = {
  /** Plain data as JSON text, UTF-8. */
  json: 742_001,
  /** Another serializer's payload, compressed: `compression.ts` describes its format. */
  compressed: 742_002,
  /** The head of a snapshot that is stored in several items. */
  chunked: 742_003,
  /** Another serializer's payload, encrypted: `encrypted-envelope.ts` describes its format. */
  encrypted: 742_004,
  /** The payload of an event that has expired and was removed: no bytes. */
  expired: 742_005,
} as const;
