import { type DocumentObject, type ListedRow, printJson, type ShadowView } from "@tablekeep/shadow";

/** A shadow as our own API shows it. Numbers of any size are kept, so it is printed and not made an object. */
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
