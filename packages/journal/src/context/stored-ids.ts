import type { Codecs, EncodedPayload } from "../codecs/codec.ts";
import { createCodecs } from "../codecs/create-codecs.ts";
import { readEnvelope } from "../codecs/encrypted-envelope.ts";
import type { MaybePromise } from "../codecs/maybe-promise.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";
import type { EventRow } from "../rows/event-row.ts";
import { splitMetadata } from "./event-metadata.ts";
import type { EventIds } from "./journal.ts";

type Ids = Partial<EventIds> | undefined;

const builtIn = createCodecs();

/**
 * Returns the ids in the metadata of an event that has expired; undefined if there are none, or if they cannot be read. No key is needed: ids
 * are not encrypted. The journal's codecs are used only for what the built-in ones cannot read.
 */
export function storedIds(
  codecs: Codecs,
  { persistenceId, sequenceNr, metadata }: EventRow,
): MaybePromise<Ids> {
  if (metadata === undefined) return undefined;
  try {
    if (metadata.serializerId === ownSerializers.encrypted) return clearIds(metadata);
    const decoded = builtIn.decode(metadata);
    if (decoded !== metadata) return splitMetadata(decoded).ids;
    const own: unknown = codecs.decode(metadata, { part: "metadata", persistenceId, sequenceNr });
    if (!(own instanceof Promise)) return splitMetadata(own).ids;
    return own.then(
      (value: unknown) => splitMetadata(value).ids,
      () => undefined,
    );
  } catch {
    return undefined;
  }
}

function clearIds({ bytes }: EncodedPayload): Ids {
  const { clear } = readEnvelope(bytes);
  const ids: unknown = clear.length === 0 ? undefined : JSON.parse(Buffer.from(clear).toString());
  return typeof ids === "object" && ids !== null ? ids : undefined;
}
