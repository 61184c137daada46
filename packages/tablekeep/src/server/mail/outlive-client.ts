import type { Logger } from "@tablekeep/core";
import type { HttpExchange } from "../http/http-exchange.ts";

/**
 * Runs work that goes on when its client hangs up: a delete that stops in the middle helps nobody. It ends early only
 * when the server stops as well. A failure that no client hears about is logged.
 */
export async function outliveClient<Result>(
  { signal, stopping }: Pick<HttpExchange, "signal" | "stopping">,
  logger: Logger,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const check = () => {
    if (signal.aborted && stopping.aborted) over.abort(stopping.reason);
  };
  for (const each of [signal, stopping]) each.addEventListener("abort", check);
  check();
  try {
    return await work(over.signal);
  } catch (error) {
    if (signal.aborted) logger.warn("a request failed after its client hung up", { error });
    throw error;
  } finally {
    for (const each of [signal, stopping]) each.removeEventListener("abort", check);
  }
}
