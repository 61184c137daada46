import {
  type DocumentObject,
  type DocumentValue,
  isEmpty,
  isList,
  isObject,
  type OpenObject,
  setKey,
  valueAt,
} from "../document/document-value.ts";
import type { ShadowView } from "../manager/shadow-view.ts";
import { deltaMetadata } from "../merge/delta.ts";
import { type DocumentMetadata, isMetadataObject } from "../merge/metadata.ts";
import type { UpdateDocument } from "./parse-request.ts";

/** Fields of the documents besides the shadow itself. */
export interface DocumentContext {
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The token of the request, echoed. */
  readonly clientToken?: string;
}

/** Metadata as AWS writes it: `{"timestamp": seconds}` for a value, nothing for an empty object or list. */
function metadataDocument(metadata: DocumentMetadata, value: DocumentValue | undefined): DocumentValue {
  if (typeof metadata === "number") {
    if (isEmpty(value)) return isList(value) ? [] : {};
    return { timestamp: metadata };
  }
  if (!isMetadataObject(metadata))
    return metadata.map((each, at) => metadataDocument(each, isList(value) ? value[at] : undefined));
  const document: OpenObject = {};
  for (const [key, each] of Object.entries(metadata))
    setKey(document, key, metadataDocument(each, partOf(value, key)));
  return document;
}

function partOf(value: DocumentValue | undefined, key: string): DocumentValue | undefined {
  return isObject(value) ? valueAt(value, key) : undefined;
}

/** The response to a get. */
export function getDocument(view: ShadowView, context: DocumentContext): DocumentObject {
  const delta: DocumentObject = view.delta === undefined ? {} : { delta: view.delta };
  return { state: { ...view.state, ...delta }, ...tail(view, context) };
}

function tail(view: ShadowView, { timestamp, clientToken }: DocumentContext): DocumentObject {
  return {
    metadata: metadataDocument(view.metadata as DocumentMetadata, view.state as DocumentObject),
    version: view.version,
    timestamp,
    ...(clientToken !== undefined && { clientToken }),
  };
}

/** The response to an update: the sections of the request, and when their values were set. */
export function acceptedDocument(
  { state }: UpdateDocument,
  current: ShadowView,
  { timestamp, clientToken }: DocumentContext,
): DocumentObject {
  const metadata: OpenObject = {};
  for (const half of ["desired", "reported"] as const) {
    const patch = state?.[half];
    if (patch === undefined) continue;
    metadata[half] = requested(patch, current.metadata[half], current.state[half], timestamp);
  }
  return {
    state: state as DocumentValue,
    metadata: state === null ? { timestamp } : metadata,
    version: current.version,
    timestamp,
    ...(clientToken !== undefined && { clientToken }),
  };
}

/** The metadata of the values that a request names; a removal has the time of the request. */
function requested(
  patch: DocumentValue,
  known: DocumentMetadata | undefined,
  current: DocumentValue | undefined,
  timestamp: number,
): DocumentValue {
  if (!isObject(patch)) return known === undefined ? { timestamp } : metadataDocument(known, current);
  const document: OpenObject = {};
  for (const [key, value] of Object.entries(patch)) {
    const part = isMetadataObject(known) ? valueAt(known, key) : undefined;
    setKey(document, key, requested(value, part, partOf(current, key), timestamp));
  }
  return document;
}

/** The message on `update/delta`; undefined if nothing differs. */
export function deltaDocument(current: ShadowView, context: DocumentContext): DocumentObject | undefined {
  const { delta, version } = current;
  if (delta === undefined) return undefined;
  const { timestamp, clientToken } = context;
  return {
    version,
    timestamp,
    state: delta,
    metadata: metadataDocument(deltaMetadata(delta, current.metadata.desired ?? {}), delta),
    ...(clientToken !== undefined && { clientToken }),
  };
}

/** The message on `update/documents`: the shadow before and after, without a delta. */
export function documentsDocument(
  previous: ShadowView | undefined,
  current: ShadowView,
  { timestamp, clientToken }: DocumentContext,
): DocumentObject {
  return {
    previous: previous === undefined ? null : snapshot(previous),
    current: snapshot(current),
    timestamp,
    ...(clientToken !== undefined && { clientToken }),
  };
}

function snapshot({ state, metadata, version }: ShadowView): DocumentObject {
  return {
    state: state as DocumentObject,
    metadata: metadataDocument(metadata as DocumentMetadata, state as DocumentObject),
    version,
  };
}

/** The response to a delete: the version of the deleted document. */
export function deletedDocument(
  version: number,
  { timestamp, clientToken }: DocumentContext,
): DocumentObject {
  return { version, timestamp, ...(clientToken !== undefined && { clientToken }) };
}
