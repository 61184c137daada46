import type { VNode } from "preact";
import { showSize } from "../parts/show-values.ts";
import { isObject } from "./exact-json.ts";
import { bytesOfBase64, hexDump } from "./hex-dump.ts";
import { JsonView, Printed } from "./json-view.tsx";

/** The maximum number of bytes that are shown. */
const maxShown = 16_384;

export interface PayloadViewProps {
  readonly value: unknown;
  /** Bytes are base64; `unknown` is an object with the bytes of an unknown serializer. */
  readonly form: "json" | "bytes" | "unknown";
  readonly label: string;
}

/** The content of an event or a snapshot, in its format. */
export function PayloadView({ value, form, label }: PayloadViewProps): VNode {
  if (form === "bytes") return <BytesView base64={String(value)} label={label} />;
  if (form === "json" || !isObject(value)) return <JsonView value={value} label={label} />;
  return (
    <>
      <p class="dim">
        The server has no codec for serializer {String(value["serializerId"])} {String(value["manifest"])}:
        these are its bytes.
      </p>
      <BytesView base64={String(value["bytes"])} label={label} />
    </>
  );
}

/** Bytes that came as base64, in hex. */
function BytesView({ base64, label }: { readonly base64: string; readonly label: string }): VNode {
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
