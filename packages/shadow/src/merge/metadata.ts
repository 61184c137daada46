import {
  type DocumentValue,
  isEmpty,
  isList,
  isObject,
  setKey,
  valueAt,
} from "../document/document-value.ts";

/**
 * When each value of a document was last set, in seconds since 1970: a number for a value, and the shape of the document for
 * objects and lists. Empty ones have a number as well, because they contain nothing that could have a time.
 */
export type DocumentMetadata = number | readonly DocumentMetadata[] | MetadataObject;

/** The metadata of an object. */
export interface MetadataObject {
  readonly [key: string]: DocumentMetadata;
}

/** The same, while it is being made. */
export type OpenMetadata = Record<string, DocumentMetadata>;

/** Whether metadata belongs to an object. Other programs may have stored null for it. */
export function isMetadataObject(metadata: DocumentMetadata | undefined): metadata is MetadataObject {
  return typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
}

/** The metadata of a value that was set as a whole at this second. */
export function metadataOf(value: DocumentValue, seconds: number): DocumentMetadata {
  return mirrorMetadata(value, undefined, seconds);
}

/** The metadata of a value, in its shape; `seconds` where it is unknown. */
export function mirrorMetadata(
  value: DocumentValue,
  known: DocumentMetadata | undefined,
  seconds: number,
): DocumentMetadata {
  if (isEmpty(value)) return typeof known === "number" ? known : seconds;
  if (isObject(value)) {
    const mirrored: OpenMetadata = {};
    for (const [key, each] of Object.entries(value)) {
      const part = isMetadataObject(known) ? valueAt(known, key) : undefined;
      setKey(mirrored, key, mirrorMetadata(each, part, seconds));
    }
    return mirrored;
  }
  if (isList(value)) {
    const parts: readonly DocumentMetadata[] = Array.isArray(known) ? known : [];
    return value.map((each, at) => mirrorMetadata(each, parts[at], seconds));
  }
  return typeof known === "number" ? known : seconds;
}

/** The newest time in metadata, in seconds; 0 if there is none. */
export function newestOf(metadata: DocumentMetadata | undefined): number {
  if (metadata === undefined) return 0;
  if (typeof metadata === "number") return metadata;
  return Object.values(metadata).reduce<number>((newest, each) => Math.max(newest, newestOf(each)), 0);
}
