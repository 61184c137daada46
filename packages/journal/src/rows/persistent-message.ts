import { decodeUtf8, MalformedBytes } from "../codecs/bytes.ts";
import type { EncodedPayload } from "../codecs/codec.ts";
import { ProtobufReader, ProtobufWriter } from "./protobuf.ts";

/** Akka's PersistentMessage: an event with its envelope, as one protobuf message. Text that is not there is "". */
export interface PersistentMessage {
  readonly payload: EncodedPayload | undefined;
  /** As it is stored: 64 bits. */
  readonly sequenceNr: bigint | undefined;
  readonly persistenceId: string;
  readonly deleted: boolean;
  /** Channels that confirmed it; Akka 2.3 only. */
  readonly confirms: readonly string[];
  /** The path of the sending actor; Akka 2.3 only. */
  readonly sender: string;
  /** The event adapter's; since Akka 2.4. */
  readonly manifest: string;
  readonly writerUuid: string;
  /** Milliseconds; 0 if none. */
  readonly timestamp: bigint;
  readonly metadata: EncodedPayload | undefined;
}

/** Reads a PersistentMessage of any Akka version. Unknown fields are skipped. */
export function decodePersistentMessage(bytes: Uint8Array): PersistentMessage {
  const reader = new ProtobufReader(bytes);
  const confirms: string[] = [];
  let payload: EncodedPayload | undefined;
  let sequenceNr: bigint | undefined;
  let persistenceId = "";
  let deleted = false;
  let sender = "";
  let manifest = "";
  let writerUuid = "";
  let timestamp = 0n;
  let metadata: EncodedPayload | undefined;
  while (reader.next()) {
    if (reader.field === 1) payload = decodePersistentPayload(reader.bytes());
    else if (reader.field === 2) sequenceNr = reader.int64();
    else if (reader.field === 3) persistenceId = reader.string();
    else if (reader.field === 4) deleted = reader.bool();
    else if (reader.field === 7) confirms.push(reader.string());
    else if (reader.field === 11) sender = reader.string();
    else if (reader.field === 12) manifest = reader.string();
    else if (reader.field === 13) writerUuid = reader.string();
    else if (reader.field === 14) timestamp = reader.sint64();
    else if (reader.field === 15) metadata = decodePersistentPayload(reader.bytes());
    else reader.skip();
  }
  return {
    payload,
    sequenceNr,
    persistenceId,
    deleted,
    confirms,
    sender,
    manifest,
    writerUuid,
    timestamp,
    metadata,
  };
}

function decodePersistentPayload(bytes: Uint8Array): EncodedPayload {
  const reader = new ProtobufReader(bytes);
  let serializerId: number | undefined;
  let payload: Uint8Array | undefined;
  let manifest = "";
  while (reader.next()) {
    if (reader.field === 1) serializerId = reader.int32();
    else if (reader.field === 2) payload = reader.bytes();
    else if (reader.field === 3) manifest = decodeUtf8(reader.bytes());
    else reader.skip();
  }
  if (serializerId === undefined || payload === undefined)
    throw new MalformedBytes("has a payload without serializer id or bytes");
  return { serializerId, manifest, bytes: payload };
}

/** What is written of a PersistentMessage: what is undefined, "" or 0 is not there. */
export interface NewPersistentMessage {
  readonly payload: EncodedPayload;
  readonly sequenceNr: number;
  readonly persistenceId?: string;
  readonly deleted?: boolean;
  /** Akka 2.3 writes `deleted`, `redeliveries` and `confirmable` whatever their value. */
  readonly akka23?: boolean;
  readonly sender?: string;
  readonly manifest?: string;
  readonly writerUuid?: string;
  readonly timestamp?: number;
  readonly metadata?: EncodedPayload;
}

/** The bytes of a PersistentMessage, as Akka writes them: fields in the order of their numbers. */
export function encodePersistentMessage(message: NewPersistentMessage): Uint8Array {
  const { payload, metadata, akka23 = false, deleted = false } = message;
  const writer = new ProtobufWriter(payload.bytes.length + 256);
  const text = (field: number, value = "") => {
    if (value !== "") writer.string(field, value);
  };
  writer.bytes(1, encodePersistentPayload(payload)).int64(2, message.sequenceNr);
  text(3, message.persistenceId);
  if (deleted || akka23) writer.bool(4, deleted);
  if (akka23) writer.int32(6, 0).bool(8, false);
  text(11, message.sender);
  text(12, message.manifest);
  text(13, message.writerUuid);
  if (message.timestamp !== undefined && message.timestamp > 0) writer.sint64(14, message.timestamp);
  if (metadata !== undefined) writer.bytes(15, encodePersistentPayload(metadata));
  return writer.finish();
}

function encodePersistentPayload({ serializerId, manifest, bytes }: EncodedPayload): Uint8Array {
  const writer = new ProtobufWriter(bytes.length + 64).int32(1, serializerId).bytes(2, bytes);
  if (manifest !== "") writer.string(3, manifest);
  return writer.finish();
}
