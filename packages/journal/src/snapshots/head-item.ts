import type { Item } from "@tablekeep/core";
import type { EncodedPayload } from "../codecs/encoded-payload.ts";
import { encodeSnapshotRow, type SnapshotRow } from "../rows/snapshot-row.ts";
import type { SnapshotContext } from "./snapshot-context.ts";

/** A snapshot to be saved, but for its state. */
export type HeadDraft = Omit<SnapshotRow, "payload"> & { readonly writeId: string };

/** The row that makes a snapshot exist: the whole of one that fits into it, or what tells where its chunks are. */
export function headItem({ keys, format }: SnapshotContext, draft: HeadDraft, payload: EncodedPayload): Item {
  return {
    ...keys.head(draft.persistenceId, draft.sequenceNr),
    ...encodeSnapshotRow({ ...draft, payload }, format),
  };
}
