import { useEffect, useRef } from "preact/hooks";

/** The action of a key. */
export interface KeyAction {
  /** For the map of keys. */
  readonly does: string;
  /** Whether the key means this now. @default always */
  when?(): boolean;
  run(): void;
}

/** Actions by key: a character, a name such as `Enter`, or two keys in a row: `g m`. */
export type KeyMap = Readonly<Record<string, KeyAction>>;

const maps: { current: KeyMap }[] = [];
/** Milliseconds after which the first key of two is forgotten. */
const pairMs = 1_500;
let first = { key: "", at: 0 };

/** While the component is shown, its keys work. Of several maps with one key the last one counts. */
export function useKeys(map: KeyMap): void {
  const entry = useRef(map);
  entry.current = map;
  useEffect(() => {
    maps.push(entry);
    return () => {
      maps.splice(maps.indexOf(entry), 1);
    };
  }, []);
}

/** The current actions by keys, and their keys. */
export function knownKeys(): readonly (readonly [string, readonly string[]])[] {
  const known = new Map<string, string>();
  for (const { current } of maps) for (const [key, { does }] of Object.entries(current)) known.set(key, does);
  const keysByAction = new Map<string, string[]>();
  for (const [key, action] of known) keysByAction.set(action, [...(keysByAction.get(action) ?? []), key]);
  return [...keysByAction];
}

/** Listens to the keyboard, once a page. */
export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    // Keys that a focused control understands itself stay its own.
    if ((event.key === "Enter" || event.key === " ") && isControl(event.target)) return;
    const pair = event.timeStamp - first.at < pairMs ? `${first.key} ${event.key}` : "";
    const action = actionFor(pair) ?? actionFor(event.key);
    first = { key: event.key, at: event.timeStamp };
    if (action === undefined) return;
    event.preventDefault();
    action.run();
  });
}

function actionFor(key: string): KeyAction | undefined {
  const known = maps.flatMap(({ current }) => (Object.hasOwn(current, key) ? (current[key] ?? []) : []));
  return known.findLast((action) => action.when?.() ?? true);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("textarea, select, [contenteditable]") || isTextInput(target);
}

function isTextInput(target: HTMLElement): boolean {
  return (
    target instanceof HTMLInputElement && !["checkbox", "radio", "button", "range"].includes(target.type)
  );
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("a, button, input, summary, [role=tab]");
}
