import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { Detail, Facts } from "../parts/detail.tsx";
import { longTime } from "../parts/show-values.ts";
import { Tabs } from "../parts/tabs.tsx";
import { confirmed } from "../shell/confirm.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { goTo } from "../shell/use-route.ts";
import { Half } from "./half.tsx";
import { HalfEditor } from "./half-editor.tsx";
import { HistoryView } from "./history-view.tsx";
import { deleteShadow, type HalfName, type ShadowName, type ShadowView } from "./shadow-api.ts";
import { type StreamedChange, useShadow } from "./use-shadow.ts";

export interface ShadowDetailProps {
  readonly shadow: ShadowName;
  /** The last change to a shadow in the stream. */
  readonly change: StreamedChange | undefined;
  /** The address of the list. */
  readonly back: string;
  readonly isHistory: boolean;
  /** The open version or time of the history; "" for none. */
  readonly at: string;
  /** The address of a view of this shadow. */
  readonly placeOfView: (view: "" | "history", at?: string) => string;
}

/** One shadow: the desired and the reported state, and the difference; or its history. */
export function ShadowDetail(props: ShadowDetailProps): VNode {
  const { shadow, change, back, isHistory, at, placeOfView } = props;
  const { state, show } = useShadow(shadow, change);
  const [edited, setEdited] = useState<HalfName>();
  const edit = (half: HalfName) => {
    goTo(placeOfView(""), { replace: true });
    setEdited(half);
  };
  useKeys({
    Escape: { does: "Close", run: () => goTo(back) },
    e: { does: "Edit the desired state", when: () => edited === undefined, run: () => edit("desired") },
    r: { does: "Edit the reported state", when: () => edited === undefined, run: () => edit("reported") },
    h: { does: "Show the history", run: () => goTo(placeOfView(isHistory ? "" : "history")) },
  });
  const view = state.kind === "there" ? state.view : undefined;
  // An editor stays, with what was typed, if the shadow is deleted meanwhile.
  const last = useRef(view);
  if (view !== undefined) last.current = view;
  return (
    <Detail
      title={titleOf(shadow)}
      back={back}
      actions={
        view && (
          <Actions
            shadow={shadow}
            isEditing={edited !== undefined}
            onEdit={edit}
            onDeleted={() => setEdited(undefined)}
          />
        )
      }
    >
      {state.kind === "waiting" && <p class="dim">Loading…</p>}
      {state.kind === "failed" && <p role="alert">{state.error.message}</p>}
      {state.kind === "gone" && <p class="dim">This shadow does not exist.</p>}
      {view && (
        <Tabs
          label="Views of the shadow"
          tabs={[
            { name: "", title: "Now" },
            { name: "history", title: "History" },
          ]}
          chosen={isHistory ? "history" : ""}
          onChoose={(chosen) => goTo(placeOfView(chosen))}
        />
      )}
      {last.current && !isHistory && edited !== undefined && (
        <HalfEditor
          key={edited}
          shadow={shadow}
          half={edited}
          current={last.current}
          onSaved={show}
          onClose={() => setEdited(undefined)}
        />
      )}
      {view && !isHistory && <Halves view={view} />}
      {view && isHistory && (
        <HistoryView
          shadow={shadow}
          current={view}
          at={at}
          placeOfPoint={(point) => placeOfView("history", point)}
        />
      )}
    </Detail>
  );
}

function titleOf({ thing, name }: ShadowName): string {
  return name === "" ? thing : `${thing} · ${name}`;
}

interface ActionsProps {
  readonly shadow: ShadowName;
  readonly isEditing: boolean;
  readonly onEdit: (half: HalfName) => void;
  readonly onDeleted: () => void;
}

function Actions({ shadow, isEditing, onEdit, onDeleted }: ActionsProps): VNode {
  const remove = async () => {
    const question = {
      title: "Delete this shadow?",
      text: `${titleOf(shadow)} will be deleted, including its reported state.`,
      action: "Delete",
    };
    if (!(await confirmed(question))) return;
    try {
      await deleteShadow(shadow);
      tellSuccess("Deleted");
      onDeleted();
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <>
      <button type="button" class="primary" disabled={isEditing} onClick={() => onEdit("desired")}>
        Edit desired
      </button>
      <button
        type="button"
        disabled={isEditing}
        title="Report in place of the device"
        onClick={() => onEdit("reported")}
      >
        Edit reported
      </button>
      <button type="button" class="danger" onClick={() => void remove()}>
        Delete
      </button>
    </>
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
              <span class="badge warn">≠ behind</span>
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
        <span class="match same">=</span> same on both sides <span class="match other">≠</span> different on
        the other side <span class="match alone">+</span> only on this side
      </p>
    </>
  );
}
