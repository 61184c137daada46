import type { VNode } from "preact";
import { BytesView } from "./bytes-view.tsx";
import { isObject } from "./exact-json.ts";
import { JsonView } from "./json-view.tsx";

export interface PayloadViewProps {
  readonly value: unknown;
  /** Bytes are base64; `unknown` is an object with the bytes of an unknown serializer. */
  readonly form: "json" | "bytes" | "unknown";
  readonly label: string;
}

/** What an event or a snapshot holds, in the form that it has. */
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
