import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/call-api.ts";
import { useAnswer } from "../api/use-answer.ts";
import { DiffView } from "../json/diff-view.tsx";
import { JsonView } from "../json/json-view.tsx";
import { AnswerView } from "../parts/answer-view.tsx";
import { Facts } from "../parts/detail.tsx";
import { longTime } from "../parts/show-values.ts";
import { Tabs } from "../parts/tabs.tsx";
import { fetchAt } from "./history-api.ts";
import type { ShadowName, ShadowView } from "./shadow-api.ts";

export interface ShadowAtProps {
  readonly shadow: ShadowName;
  /** A version, or a time in ISO 8601. */
  readonly point: string;
  readonly current: ShadowView;
}

/** An earlier version of a shadow: its changes, its state, and its differences from the current one. */
export function ShadowAt({ shadow, point, current }: ShadowAtProps): VNode {
  const [tab, setTab] = useState<"change" | "state" | "since">("change");
  const answer = useAnswer((signal) => fetchAt(shadow, point, signal), [point]);
  const section = useRef<HTMLElement>(null);
  // On a narrow screen it is above the versions, and a click on an old one would seem to do nothing.
  useEffect(() => section.current?.scrollIntoView({ block: "nearest" }), [point]);
  return (
    <section ref={section} class="shadow-at" aria-label="As it was">
      <AnswerView answer={answer}>
        {(then) => (
          <>
            <Facts
              facts={{
                Version: String(then.version),
                Updated: longTime(then.timestamp),
                "Client token": then.clientToken,
                State: then.delta === undefined ? "✓ in sync" : "≠ behind",
              }}
            />
            <Tabs
              label="Views of the version"
              tabs={[
                { name: "change", title: "Change" },
                { name: "state", title: "State" },
                { name: "since", title: "Since then" },
              ]}
              chosen={tab}
              onChoose={setTab}
            />
            <div role="tabpanel">
              {tab === "change" && <ChangeTo shadow={shadow} then={then} />}
              {tab === "state" && <JsonView value={then.state} label="State then" />}
              {tab === "since" && (
                <DiffView before={then.state} after={current.state} label="Differences since then" />
              )}
            </div>
          </>
        )}
      </AnswerView>
    </section>
  );
}

function ChangeTo({ shadow, then }: { readonly shadow: ShadowName; readonly then: ShadowView }): VNode {
  const before = useAnswer((signal) => fetchBefore(shadow, then.version, signal), [then.version]);
  return (
    <AnswerView answer={before}>
      {(older) =>
        older === null ? (
          <p class="dim">The previous version is not stored, or this is the first one.</p>
        ) : (
          <DiffView before={older.state} after={then.state} label="What the version changed" />
        )
      }
    </AnswerView>
  );
}

/** The previous version; null if it is not kept. */
async function fetchBefore(
  shadow: ShadowName,
  version: number,
  signal: AbortSignal,
): Promise<ShadowView | null> {
  if (version < 2) return null;
  try {
    return await fetchAt(shadow, String(version - 1), signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
