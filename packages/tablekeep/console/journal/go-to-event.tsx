import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { useKeys } from "../shell/keyboard.ts";
import { findByTime } from "./journal-api.ts";

export interface GoToEventProps {
  readonly path: string;
  readonly onFound: (sequenceNr: number) => void;
}

/** Milliseconds for the few reads that finding a time takes. */
const searchMs = 30_000;
const label = "Go to a sequence number or time";

/** Leads to an event by its sequence number, or to the last one at or before a time. */
export function GoToEvent({ path, onFound }: GoToEventProps): VNode {
  const box = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState("");
  useKeys({ n: { does: label, run: () => box.current?.focus() } });
  const go = async (typed: string) => {
    setFault("");
    if (typed === "") return;
    if (/^\d{1,15}$/.test(typed)) return onFound(Math.max(1, Number(typed)));
    const time = Date.parse(typed);
    if (Number.isNaN(time)) return setFault("Type a sequence number, or a time such as 2026-01-31 14:05.");
    try {
      onFound(await findByTime(path, time, AbortSignal.timeout(searchMs)));
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <form
      class="query-box"
      onSubmit={(event) => {
        event.preventDefault();
        void go(box.current?.value.trim() ?? "");
      }}
    >
      <input
        ref={box}
        aria-label={label}
        placeholder="# or time"
        aria-invalid={fault !== ""}
        aria-describedby="go-to-fault"
      />
      <button type="submit">Go</button>
      <span id="go-to-fault" class="fault" role="status">
        {fault}
      </span>
    </form>
  );
}
