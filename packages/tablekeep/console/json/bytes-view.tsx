import type { VNode } from "preact";
import { showSize } from "../parts/show-values.ts";
import { bytesOfBase64, hexDump } from "./hex-dump.ts";
import { Printed } from "./json-view.tsx";

const maxShown = 16_384;

/** Bytes that came as base64, in hex. */
export function BytesView({ base64, label }: { readonly base64: string; readonly label: string }): VNode {
  const bytes = bytesOfBase64(base64);
  return (
    <div class="json-view">
      <Printed label={label} kind="bytes">
        {hexDump(bytes.subarray(0, maxShown))}
      </Printed>
      {bytes.length > maxShown && (
        <p class="dim">
          The first {showSize(maxShown)} of {showSize(bytes.length)}.
        </p>
      )}
    </div>
  );
}
