import type { VNode } from "preact";

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly name: Name; readonly title: string; readonly disabled?: boolean }[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

/** A row of tabs; the arrow keys move along it. The panel of the chosen one has `role="tabpanel"`. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose }: TabsProps<Name>): VNode {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const open = tabs.filter(({ disabled }) => disabled !== true);
    const at = open.findIndex(({ name }) => name === chosen);
    const next = open[(at + step + open.length) % open.length];
    if (next === undefined) return;
    onChoose(next.name);
    const row = event.currentTarget as HTMLElement;
    row.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ name, title, disabled = false }) => (
        <button
          key={name}
          type="button"
          role="tab"
          data-tab={name}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          disabled={disabled}
          onClick={() => onChoose(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
