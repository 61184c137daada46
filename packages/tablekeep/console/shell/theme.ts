import { createStore, type Store } from "./store.ts";

/** The theme of the console: the system's, or the user's choice. */
export type Theme = "system" | "light" | "dark";

const key = "tablekeep.theme";
const themes: readonly Theme[] = ["system", "light", "dark"];

export const theme: Store<Theme> = createStore(remembered());

/** Shows the theme, and remembers each choice. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.get();
  theme.watch((chosen) => {
    document.documentElement.dataset["theme"] = chosen;
    try {
      localStorage.setItem(key, chosen);
    } catch {
      // A browser that keeps nothing still shows the choice.
    }
  });
}

/** The choice after this one. */
export function nextTheme(chosen: Theme): Theme {
  return themes[(themes.indexOf(chosen) + 1) % themes.length] ?? "system";
}

function remembered(): Theme {
  try {
    const kept = localStorage.getItem(key);
    return themes.find((each) => each === kept) ?? "system";
  } catch {
    return "system";
  }
}
