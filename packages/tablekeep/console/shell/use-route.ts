import { parseHash, type Route } from "./route.ts";
import { createStore, type Store } from "./store.ts";
import { hasUnsaved, mayDiscard } from "./unsaved.ts";
import { useStore } from "./use-store.ts";

/** The place that is shown. The address is another one while the user is asked whether to leave an editor. */
let shown = location.hash;
/** When it was first shown, in milliseconds. Each entry of the tab's history keeps this; a new entry has none yet. */
let since = keptSince() ?? Date.now();
const current: Store<Route> = createStore(parseHash(shown));
show(shown, since);
addEventListener("hashchange", () => void follow(location.hash));

/** The current place of the console. */
export function useRoute(): Route {
  return useStore(current);
}

/** Goes to a place made by `placeOf`. With `replace`, going back skips the present one. */
export function goTo(place: string, { replace = false }: { replace?: boolean } = {}): void {
  if (location.hash === place) return;
  if (!replace) location.hash = place;
  else if (!hasUnsaved()) show(place, since);
  else void mayDiscard().then((isDiscarded) => isDiscarded && show(place, since));
}

/** Shows the place of the address, or restores the address if the user does not want to leave an editor. */
async function follow(place: string): Promise<void> {
  if (place === shown) return;
  const reached = keptSince();
  if (hasUnsaved() && !(await mayDiscard())) history.go(reached === undefined || reached > since ? -1 : 1);
  else {
    show(place, reached ?? Math.max(Date.now(), since + 1));
    closeDialogs();
  }
}

/** Cancels the dialogs of the previous place: what is confirmed there would no longer be on the screen. */
function closeDialogs(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[open]")) dialog.close();
}

function show(place: string, at: number): void {
  shown = place;
  since = at;
  history.replaceState({ since }, "", place);
  current.set(parseHash(place));
}

function keptSince(): number | undefined {
  return (history.state as { readonly since?: number } | null)?.since;
}
