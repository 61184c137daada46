import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Connection, connection } from "./connection.ts";
import { placeOf } from "./route.ts";
import { nextTheme, type Theme, theme } from "./theme.ts";
import { useStore } from "./use-store.ts";

export interface TopBarProps {
  readonly screens: readonly { readonly name: string; readonly title: string }[];
  readonly current: string;
  readonly onShowKeys: () => void;
}

const labels: Readonly<Record<Connection, string>> = {
  quiet: "",
  connecting: "Connecting",
  live: "Live",
  offline: "Offline",
};
const themeMarks: Readonly<Record<Theme, string>> = { system: "◐", light: "☀", dark: "☾" };

/** The name, the screens, the connection state, the documentation and the theme. */
export function TopBar({ screens, current, onShowKeys }: TopBarProps): VNode {
  const state = useStore(connection);
  const chosen = useStore(theme);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the screens are wider than their place.
    const link = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (nav.current && link)
      nav.current.scrollLeft = link.offsetLeft - (nav.current.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return (
    <header class="top-bar">
      <a class="brand" href={placeOf([])} aria-label="Tablekeep">
        <img src="assets/icon.svg" alt="" width="22" height="22" />
        <span>Tablekeep</span>
      </a>
      <nav ref={nav} aria-label="Screens">
        {screens.map(({ name, title }) => (
          <a key={name} href={placeOf([name])} aria-current={name === current ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <div class="top-bar-end">
        <span class={`connection ${state}`} role="status" title={hint(state)}>
          {labels[state]}
        </span>
        <a class="docs-link" href="docs/">
          Docs
        </a>
        <button
          type="button"
          class="plain"
          aria-label={`Theme: ${chosen}. Choose ${nextTheme(chosen)}.`}
          title={`Theme: ${chosen}`}
          onClick={() => theme.set(nextTheme(chosen))}
        >
          {themeMarks[chosen]}
        </button>
        <button
          type="button"
          class="plain keys-button"
          aria-label="Keys"
          title="Keys: ?"
          onClick={onShowKeys}
        >
          ?
        </button>
      </div>
    </header>
  );
}

function hint(state: Connection): string {
  return state === "offline" ? "The server cannot be reached. The console retries automatically." : "";
}
