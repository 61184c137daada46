import type { DocumentObject, DocumentValue } from "../document/document-value.ts";
import { printJson } from "../document/json.ts";
import type { ShadowChange } from "../manager/shadow-manager.ts";
import { secondsOf } from "../manager/shadow-view.ts";
import type { ValueChange } from "../merge/value-change.ts";

/**
 * Prints a change as a server-sent event: its id is the version, its name `updated` or `deleted`, its data one line of JSON.
 *
 * @example
 * for await (const change of manager.watch()) response.write(serverSentEvent(change));
 */
export function serverSentEvent(change: ShadowChange): string {
  return `id: ${change.version}\nevent: ${change.kind}\ndata: ${printJson(changeDocument(change))}\n\n`;
}

/**
 * Returns a change as the document that {@link serverSentEvent} prints: the shadow after it, and the values that changed.
 *
 * @example
 * manager.onChange((change) => console.log(printJson(changeDocument(change))));
 */
export function changeDocument(change: ShadowChange): DocumentObject {
  const { id, name, version } = change;
  if (change.kind === "deleted")
    return { id, name, version, timestamp: secondsOf(change.deletion.timeStamp) };
  const { current, changes } = change.update;
  return {
    id,
    name,
    version,
    timestamp: secondsOf(current.timeStamp),
    state: current.state as DocumentObject,
    ...(current.delta !== undefined && { delta: current.delta }),
    changes: changes.filter(({ kind }) => kind !== "unchanged").map(valueDocument),
    ...(current.clientToken !== "" && { clientToken: current.clientToken }),
  };
}

function valueDocument({ half, path, kind, before, after }: ValueChange): DocumentValue {
  return { half, path, kind, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
