import { type DocumentObject, type DocumentValue, isEmpty, isObject } from "../document/document-value.ts";
import { deltaOf } from "../merge/delta.ts";
import type { Section } from "../merge/merge-patch.ts";
import { type MetadataObject, mirrorMetadata } from "../merge/metadata.ts";
import type { Half } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import type { Shadow, StoredHalf } from "../store/shadows.ts";

/** A shadow by its name. */
export interface ShadowName {
  /** The thing. */
  readonly id: string;
  /** The shadow's name. @default "", the classic shadow */
  readonly name?: string;
}

/** A shadow as users see it. */
export interface ShadowView extends ShadowId {
  /** The version of the shadow; if its halves are stored separately, the higher one. */
  readonly version: number;
  /** The versions of the halves; undefined for a half that was never written. */
  readonly versions: { readonly [Name in Half]?: number };
  /** When it was last written, in nanoseconds since 1970. */
  readonly timeStamp: bigint;
  /** The client token of the last write; "" for none. */
  readonly clientToken: string;
  /** An empty half is omitted. */
  readonly state: { readonly desired?: DocumentObject; readonly reported?: DocumentObject };
  /** When each value of the state was set, in its shape. */
  readonly metadata: { readonly desired?: MetadataObject; readonly reported?: MetadataObject };
  /** Desired values that are not reported; undefined if there are none. */
  readonly delta?: DocumentObject;
}

/** The seconds since 1970 of a time in nanoseconds. */
export function secondsOf(timeStamp: bigint): number {
  return Number(timeStamp / 1_000_000_000n);
}

/** One half of a stored shadow, with metadata for every value: the item's time where the original stored none. */
export function sectionOf(shadow: Shadow | undefined, half: Half): Section {
  const stored: StoredHalf | undefined = shadow?.[half];
  const state = stored === undefined ? undefined : stateOf(stored.value);
  if (stored === undefined || state === undefined) return {};
  // The half itself has no time.
  if (isEmpty(state)) return { state, metadata: {} };
  const metadata = mirrorMetadata(state, shadow?.metadata[half], secondsOf(stored.timeStamp));
  return { state, metadata: metadata as MetadataObject };
}

/** Halves that are not objects, which the original allows, have no keys to merge. */
function stateOf(value: DocumentValue): DocumentObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The view of a stored shadow, whose halves may already be parsed. */
export function viewOf(
  shadow: Shadow,
  sections: Pick<ViewParts, Half> = {
    reported: sectionOf(shadow, "reported"),
    desired: sectionOf(shadow, "desired"),
  },
): ShadowView {
  const stored = [shadow.reported, shadow.desired].filter((half) => half !== undefined);
  const newest = stored.reduce<StoredHalf | undefined>(
    (last, half) => (last === undefined || half.timeStamp > last.timeStamp ? half : last),
    undefined,
  );
  return viewFrom(shadow, {
    ...sections,
    versions: {
      ...(shadow.reported && { reported: shadow.reported.version }),
      ...(shadow.desired && { desired: shadow.desired.version }),
    },
    timeStamp: newest?.timeStamp ?? 0n,
    clientToken: newest?.clientToken ?? "",
  });
}

/** The parts of a view. */
export interface ViewParts {
  readonly reported: Section;
  readonly desired: Section;
  readonly versions: ShadowView["versions"];
  readonly timeStamp: bigint;
  readonly clientToken: string;
}

/** Assembles a view. */
export function viewFrom({ id, name }: ShadowId, parts: ViewParts): ShadowView {
  const { reported, desired, versions, timeStamp, clientToken } = parts;
  const delta = deltaOf(desired.state, reported.state);
  return {
    id,
    name,
    version: Math.max(versions.reported ?? 0, versions.desired ?? 0),
    versions,
    timeStamp,
    clientToken,
    state: {
      ...(desired.state && { desired: desired.state }),
      ...(reported.state && { reported: reported.state }),
    },
    metadata: {
      ...(desired.metadata && { desired: desired.metadata }),
      ...(reported.metadata && { reported: reported.metadata }),
    },
    ...(delta !== undefined && { delta }),
  };
}
