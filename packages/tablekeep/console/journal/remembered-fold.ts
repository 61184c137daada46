/** Merges the payloads, which is right for most journals of plain objects. */
export const defaultFold = `(state, { payload }) =>
  payload !== null && typeof payload === "object" && !Array.isArray(payload)
    ? { ...state, ...payload }
    : (payload ?? state)`;

const keyOf = (journal: string) => `tablekeep.fold.${journal}`;

/** The fold that was typed for a journal in this browser, or the default. */
export function rememberedFold(journal: string): string {
  try {
    return localStorage.getItem(keyOf(journal)) ?? defaultFold;
  } catch {
    return defaultFold;
  }
}

/** Remembers a fold. The URL does not contain it, so a link cannot carry one. */
export function rememberFold(journal: string, code: string): void {
  try {
    if (code === defaultFold) localStorage.removeItem(keyOf(journal));
    else localStorage.setItem(keyOf(journal), code);
  } catch {
    // A browser that stores nothing still uses it on this page.
  }
}
