import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { placeOf } from "../shell/route.ts";
import { useStore } from "../shell/use-store.ts";
import { ChaosDialog } from "./chaos-dialog.tsx";
import { chaos, readChaos } from "./chaos-state.ts";

export interface MailHeadProps {
  readonly current: "messages" | "sessions";
  /** The chosen inbox. Sessions are those of all. */
  readonly inbox: string;
  /** Shown below: inbox and search. @default nothing */
  readonly children?: ComponentChildren;
}

/** The head of both lists: messages, sessions, and the switch of chaos. */
export function MailHead({ current, inbox, children }: MailHeadProps): VNode {
  const faulty = current === "sessions" ? "" : inbox;
  const state = useStore(chaos);
  const settings = state.inbox === faulty ? state.settings : undefined;
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const life = new AbortController();
    readChaos(faulty, life.signal).catch(() => {
      // The list shows that the server is unreachable.
    });
    return () => life.abort();
  }, [faulty]);
  return (
    <>
      <nav class="list-choice" aria-label="Lists of mail">
        <a href={placeOf(["mail"], { inbox })} aria-current={current === "messages" ? "page" : undefined}>
          Messages
        </a>
        <a
          href={placeOf(["mail", "sessions"], { inbox })}
          aria-current={current === "sessions" ? "page" : undefined}
        >
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
      {isOpen && <ChaosDialog inbox={faulty} onClose={() => setIsOpen(false)} />}
    </>
  );
}
