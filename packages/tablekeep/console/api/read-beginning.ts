import { ApiError, servedPath } from "./call-api.ts";

/** The beginning of a string. */
export interface Beginning {
  readonly text: string;
  /** Whether there is more of it. */
  readonly isCut: boolean;
}

/** Characters that a browser shows at once without a pause. */
export const shownCharacters = 400_000;

/** Reads a response of any size from an API path, up to what can be shown. */
export async function readBeginning(path: string, signal: AbortSignal): Promise<Beginning> {
  const response = await fetch(servedPath(path), { signal });
  if (!response.ok || response.body === null) throw new ApiError(response.status, await response.text());
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text, isCut: false };
    text += value;
    if (text.length < shownCharacters) continue;
    await reader.cancel();
    return { text: text.slice(0, shownCharacters), isCut: true };
  }
}
