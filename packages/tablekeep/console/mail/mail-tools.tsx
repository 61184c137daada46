import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { placeOf } from "../shell/route.ts";
import { useStore } from "../shell/use-store.ts";
import { chaos, readChaos } from "./chaos.ts";
import { ChaosDialog } from "./chaos-dialog.tsx";

export interface MailToolsProps {
  readonly current: "messages" | "sessions";
  /** Shown below: the search. @default nothing */
  readonly children?: ComponentChildren;
}

/** The head of both lists: messages, sessions, and the switch of chaos. */
export function MailTools({ current, children }: MailToolsProps): VNode {
  const { settings } = useStore(chaos);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const life = new AbortController();
    readChaos(life.signal).catch(() => {
      // The list shows that the server is unreachable.
    });
    return () => life.abort();
  }, []);
  return (
    <>
      <nav class="list-choice" aria-label="Lists of mail">
        <a href={placeOf(["mail"])} aria-current={current === "messages" ? "page" : undefined}>
          Messages
        </a>
        <a href={placeOf(["mail", "sessions"])} aria-current={current === "sessions" ? "page" : undefined}>
          SMTP sessions
        </a>
      </nav>
      <button
        type="button"
        class={settings === undefined ? "plain" : "chaos-on"}
        aria-pressed={settings !== undefined}
        title="Inject SMTP faults"
        onClick={() => setIsOpen(true)}
      >
        {settings === undefined ? "Chaos" : "Chaos is on"}
      </button>
      {children}
      {isOpen && <ChaosDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}
