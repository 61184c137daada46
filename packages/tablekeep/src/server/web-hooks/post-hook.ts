import { createHmac } from "node:crypto";
import { type Clock, linkSignals, nameErrors } from "@tablekeep/core";

/** Milliseconds for one request to a hook. */
const requestMs = 15_000;

/** One request to a web hook. */
export interface HookRequest {
  readonly url: string;
  /** The key of the signature: `whsec_` and base64, or any other string. @default none: not signed */
  readonly secret?: string;
  /** The id of the event, the same in every attempt. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** The response of a hook does not have a 2xx status. */
class HookRejected extends Error {
  static {
    nameErrors(HookRejected, "HookRejected");
  }

  readonly status: number;

  constructor(status: number) {
    super(`the hook returned status ${status}`);
    this.status = status;
  }
}

/**
 * Posts an event to a URL, signed according to the Standard Webhooks specification: the id, the time in seconds and the body, separated by
 * dots, under HMAC-SHA256. Rejects unless the response has a 2xx status.
 */
export async function postHook(request: HookRequest, clock: Clock, signal: AbortSignal): Promise<void> {
  const { secret, id, body } = request;
  const { url, authorization } = splitUrl(request.url);
  const seconds = Math.floor(clock.now() / 1000);
  const ended = linkSignals(signal);
  const cancel = clock.after(requestMs, () => ended.abort(new Error("no response in time")));
  try {
    const answer = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal: ended.signal,
      headers: {
        "content-type": "application/json",
        ...(authorization !== undefined && { authorization }),
        "webhook-id": id,
        "webhook-timestamp": String(seconds),
        ...(secret !== undefined && {
          "webhook-signature": `v1,${hookSignature(secret, `${id}.${seconds}.${body}`)}`,
        }),
      },
      body,
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new HookRejected(answer.status);
  } finally {
    cancel();
    ended.release();
  }
}

/** `fetch` rejects an address with a user and a password, and its error message contains both. */
function splitUrl(given: string): { readonly url: URL; readonly authorization?: string } {
  const url = new URL(given);
  const { username, password } = url;
  if (username === "" && password === "") return { url };
  url.username = "";
  url.password = "";
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  return { url, authorization: `Basic ${credentials}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Why {@link postHook} has rejected, in one line. */
export function hookFailure(error: unknown): string {
  // fetch's error says only that it failed; its cause says why.
  const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
  return (cause?.code ?? cause?.message ?? message).slice(0, 200);
}

/** The signature of a string, in base64. */
function hookSignature(secret: string, text: string): string {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, "base64");
  return createHmac("sha256", key).update(text).digest("base64");
}
