import type { Clock, Logger } from "@tablekeep/core";
import { keepListening } from "./keep-listening.ts";
import type { Listener, ListenerAddress } from "./listener.ts";

/** What runs beside and below the listeners. */
export interface RunOptions {
  /** Called with each address as soon as it accepts; a failure ends the start. */
  readonly onListening: (address: ListenerAddress) => void;
  /** Called when a listener has closed unexpectedly, and again once it listens. @default none */
  readonly onChange?: (listener: string, state: "down" | "listening") => void;
  /** Whether uncaught errors are attributed to their listener, which costs a little of every request. @default false */
  readonly attributeErrors?: boolean;
  /** Called when they begin to stop. @default none */
  readonly onStopping?: () => void;
  /** Called once all listeners have stopped: what they stood on may be closed. */
  readonly afterStop: () => Promise<void>;
  /** Milliseconds that requests under way have to finish. */
  readonly stopGraceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal?: AbortSignal | undefined;
}

/** Stops all listeners, then what they stood on. May be called twice. */
export type StopListeners = () => Promise<void>;

/** Starts every listener, or none: where one cannot start, those before it are stopped again. */
export async function runListeners(
  listeners: readonly Listener[],
  options: RunOptions,
): Promise<StopListeners> {
  const { clock, logger } = options;
  const started: Listener[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopAll(started, options);
    return stopped;
  };
  try {
    for (const listener of listeners) {
      const { name, purpose } = listener;
      const url = await keepListening(listener, {
        clock,
        logger,
        attributeErrors: options.attributeErrors ?? false,
        isStopping: () => stopped !== undefined,
        onChange: (state) => options.onChange?.(name, state),
      });
      started.push(listener);
      options.onListening({ name, purpose, url });
      logger.info("listening", { listener: name, url });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  stopOnAbort(stop, options);
  return stop;
}

async function stopAll(started: readonly Listener[], options: RunOptions): Promise<void> {
  options.onStopping?.();
  await Promise.all(started.map((listener) => listener.stop(options.stopGraceMs)));
  await options.afterStop();
  options.logger.info("stopped");
}

function stopOnAbort(stop: StopListeners, { signal, logger }: RunOptions): void {
  const onAbort = () => {
    stop().catch((error: unknown) => logger.error("stopping failed", { error }));
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
}
