import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/call-api.ts";
import { fetchShadow, type ShadowName, type ShadowView } from "./shadow-api.ts";

/** The last change to a shadow in the stream. */
export interface StreamedChange {
  readonly kind: "updated" | "deleted";
  readonly view: ShadowView;
}

/** The state of a shadow on the page. */
export type ShadowState =
  | { readonly kind: "waiting" | "gone" }
  | { readonly kind: "there"; readonly view: ShadowView }
  | { readonly kind: "failed"; readonly error: Error };

/** Changes by other servers and processes are not in the stream, so the shadow is polled. */
const pollEveryMs = 5_000;

/** The current shadow: read once, updated by the stream of changes, and polled. */
export function useShadow(
  shadow: ShadowName,
  change: StreamedChange | undefined,
): { readonly state: ShadowState; readonly show: (view: ShadowView) => void } {
  const [state, setState] = useState<ShadowState>({ kind: "waiting" });
  const show = (view: ShadowView) =>
    setState((old) =>
      old.kind === "there" && old.view.version > view.version ? old : { kind: "there", view },
    );
  useEffect(() => {
    const life = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async () => {
      try {
        if (!document.hidden) show(await fetchShadow(shadow, life.signal));
      } catch (error) {
        if (life.signal.aborted) return;
        const isGone = error instanceof ApiError && error.status === 404;
        setState((old) => {
          if (isGone) return { kind: "gone" };
          return old.kind === "there" ? old : { kind: "failed", error: error as Error };
        });
      }
      if (!life.signal.aborted) timer = setTimeout(() => void poll(), pollEveryMs);
    };
    void poll();
    return () => {
      life.abort();
      clearTimeout(timer);
    };
  }, [shadow.store, shadow.thing, shadow.name]);
  useEffect(() => {
    if (change === undefined || change.view.thing !== shadow.thing || change.view.name !== shadow.name)
      return;
    if (change.kind === "deleted") setState({ kind: "gone" });
    else show(change.view);
  }, [change]);
  return { state, show };
}
