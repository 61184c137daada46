import type { ComponentChildren, VNode } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export interface DialogProps {
  readonly title: string;
  /** Called when it is closed by a button, Esc or a click beside it. */
  readonly onClose: () => void;
  /** A form, most often: `.actions` at its end holds the buttons. */
  readonly children: ComponentChildren;
  /** @default false */
  readonly wide?: boolean;
}

/** A dialog over the page. The browser keeps the focus inside it, and restores it afterwards. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const isGone = useRef(false);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      // The browser restores the focus only if the dialog is closed before it is removed.
      isGone.current = true;
      shown?.close();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes a dialog on Esc
    <dialog
      ref={dialog}
      class={wide ? "wide" : ""}
      aria-labelledby={heading}
      onClose={() => {
        if (!isGone.current) onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="dialog-body">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
