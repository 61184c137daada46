/**
 * When each value of a document was last set, in seconds since 1970: a number for a value, and the shape of the document for
 * objects and lists. Those that are empty have a number, too: there is nothing in them that could have a time.
 */
export type DocumentMetadata = number | readonly DocumentMetadata[] | MetadataObject;

/** The metadata of an object. */
export interface MetadataObject {
  readonly [key: string]: DocumentMetadata;
}

/** The same, while it is being made. */
export type OpenMetadata = Record<string, DocumentMetadata>;

/** Whether metadata is that of an object. Others may have stored null for it. */
export function isMetadataObject(metadata: DocumentMetadata | undefined): metadata is MetadataObject {
  return typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
}
