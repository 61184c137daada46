import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../shell/keyboard.ts";

export interface FilterBoxProps {
  /** The label, also shown in the empty box. */
  readonly label: string;
  readonly value: string;
  /** Called once the user stops typing. */
  readonly onChange: (value: string) => void;
}

const quietMs = 250;

/** A box that filters a list while one types. `/` leads to it. */
export function FilterBox({ label, value, onChange }: FilterBoxProps): VNode {
  const box = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // What this box sent comes back as its value: the user may have typed more by then.
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      onChange(typed);
    }, quietMs);
    return () => clearTimeout(timer);
  }, [typed]);
  useKeys({ "/": { does: label, run: () => box.current?.focus() } });
  return (
    <input
      ref={box}
      class="filter-box"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}
