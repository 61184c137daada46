/** The part of the SDK's command that is needed to look into how it is sent. */
export interface WithMiddleware {
  readonly middlewareStack: {
    add(
      middleware: (next: Next) => Next,
      options: { name: string; step: "finalizeRequest"; priority: "high"; override: true },
    ): void;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK types a handler by its command; this one stands in all of them
type Next = (args: any) => Promise<any>;

/** What the SDK did behind one `send`. */
export interface AttemptLog {
  /** How often a request went out. */
  readonly sent: () => number;
  /** What each attempt but the last successful one ended with. */
  readonly failures: readonly unknown[];
}

/** Told before a request goes out again: what the attempt before ended with. */
export type OnSdkRetry = (failure: unknown) => Promise<void>;

/**
 * Watches the attempts of a command. The SDK reports how often it tried but not why, and the why decides whether an
 * earlier attempt may have been applied. Stands between the SDK's retries and its transport.
 */
export function watchAttempts(command: WithMiddleware, onRetry: OnSdkRetry): AttemptLog {
  const failures: unknown[] = [];
  let sent = 0;
  const watch = (next: Next) => async (args: unknown) => {
    if (failures.length > 0) await onRetry(failures.at(-1));
    sent += 1;
    try {
      return await next(args);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  command.middlewareStack.add(watch, {
    name: "tablekeepAttemptLog",
    step: "finalizeRequest",
    priority: "high",
    override: true,
  });
  return { sent: () => sent, failures };
}

/**
 * Takes the SDK's own retries away from one command: it would also repeat a write whose fate is in doubt and which does
 * harm when applied twice. The middleware of a command replaces the client's of the same name.
 */
export function withoutSdkRetries(command: WithMiddleware): void {
  command.middlewareStack.add((next) => next, {
    name: "retryMiddleware",
    step: "finalizeRequest",
    priority: "high",
    override: true,
  });
}
