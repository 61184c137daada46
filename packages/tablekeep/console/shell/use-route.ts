import { parseHash, type Route } from "./route.ts";
import { createStore, type Store } from "./store.ts";
import { useStore } from "./use-store.ts";

const current: Store<Route> = createStore(parseHash(location.hash));
addEventListener("hashchange", () => current.set(parseHash(location.hash)));

/** Where the console is. */
export function useRoute(): Route {
  return useStore(current);
}

/** Goes to a place made by `placeOf`. With `replace`, going back skips the present one. */
export function goTo(place: string, { replace = false }: { replace?: boolean } = {}): void {
  if (location.hash === place) return;
  if (!replace) {
    location.hash = place;
    return;
  }
  history.replaceState(null, "", place);
  current.set(parseHash(place));
}
