import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Detail, Facts } from "../parts/detail.tsx";
import { longTime } from "../parts/show-time.ts";
import { confirmed } from "../shell/confirm.tsx";
import { useKeys } from "../shell/keys.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { goTo } from "../shell/use-route.ts";
import { DesiredEditor } from "./desired-editor.tsx";
import { Half } from "./half.tsx";
import { deleteShadow, type ShadowName, type ShadowView } from "./shadow-api.ts";
import { type StreamedChange, useShadow } from "./use-shadow.ts";

export interface ShadowDetailProps {
  readonly shadow: ShadowName;
  /** The last change in the stream, of any shadow. */
  readonly change: StreamedChange | undefined;
  /** The address of the list. */
  readonly back: string;
}

/** One shadow: the desired and the reported state, and the difference. */
export function ShadowDetail({ shadow, change, back }: ShadowDetailProps): VNode {
  const { state, show } = useShadow(shadow, change);
  const [isEditing, setIsEditing] = useState(false);
  useKeys({
    Escape: { does: "Close", run: () => goTo(back) },
    e: { does: "Edit the desired state", run: () => setIsEditing(true) },
  });
  const remove = async () => {
    const question = {
      title: "Delete this shadow?",
      text: `${shadow.thing} ${shadow.name} will be deleted, including its reported state.`,
      action: "Delete",
    };
    if (!(await confirmed(question))) return;
    try {
      await deleteShadow(shadow);
      tellSuccess("Deleted");
    } catch (error) {
      tellFailure(error);
    }
  };
  const title = shadow.name === "" ? shadow.thing : `${shadow.thing} · ${shadow.name}`;
  const view = state.kind === "there" ? state.view : undefined;
  return (
    <Detail
      title={title}
      back={back}
      actions={
        view && (
          <>
            <button type="button" class="primary" disabled={isEditing} onClick={() => setIsEditing(true)}>
              Edit desired
            </button>
            <button type="button" class="danger" onClick={() => void remove()}>
              Delete
            </button>
          </>
        )
      }
    >
      {state.kind === "waiting" && <p class="dim">Loading…</p>}
      {state.kind === "failed" && <p role="alert">{state.error.message}</p>}
      {state.kind === "gone" && <p class="dim">This shadow does not exist.</p>}
      {view && isEditing && (
        <DesiredEditor shadow={shadow} current={view} onSaved={show} onClose={() => setIsEditing(false)} />
      )}
      {view && <Halves view={view} />}
    </Detail>
  );
}

function Halves({ view }: { readonly view: ShadowView }): VNode {
  const { state, delta, version, timestamp, clientToken } = view;
  return (
    <>
      <Facts
        facts={{
          Version: String(version),
          Updated: longTime(timestamp),
          "Client token": clientToken,
          State:
            delta === undefined ? (
              <span class="badge good">✓ in sync</span>
            ) : (
              <span class="badge warn">≠ differs</span>
            ),
        }}
      />
      <div class="halves">
        <Half
          title="Desired"
          document={state.desired}
          counterpart={state.reported}
          nothing="Nothing is desired."
        />
        <Half
          title="Reported"
          document={state.reported}
          counterpart={state.desired}
          nothing="Nothing was reported."
        />
        <Half title="Delta" document={delta} counterpart={state.reported} nothing="Nothing is left to do." />
      </div>
      <p class="legend dim">
        <span class="match same">=</span> the same on both sides <span class="match other">≠</span> another
        value there <span class="match alone">+</span> only on this side
      </p>
    </>
  );
}
