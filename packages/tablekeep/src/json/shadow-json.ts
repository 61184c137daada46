import { type DocumentObject, type ListedRow, printJson, type ShadowView } from "@tablekeep/shadow";

/** A shadow as shown by our own API, as a string and not as an object, because numbers of any size stay exact. */
export function viewJson(view: ShadowView): string {
  const { id, name, version, timeStamp, clientToken, state, delta } = view;
  return printJson({
    thing: id,
    name,
    version,
    timestamp: isoTime(timeStamp),
    ...(clientToken !== "" && { clientToken }),
    state: state as DocumentObject,
    ...(delta !== undefined && { delta }),
  });
}

/** A row of the list. */
export function rowJson({ id, name, kind, version, timeStamp }: ListedRow): object {
  return { thing: id, name, kind, version, timestamp: isoTime(timeStamp) };
}

function isoTime(nanoseconds: bigint): string {
  return new Date(Number(nanoseconds / 1_000_000n)).toISOString();
}
