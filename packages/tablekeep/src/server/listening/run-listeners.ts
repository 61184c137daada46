import type { AddressInfo, Socket } from "node:net";
import type { Clock, Logger } from "@tablekeep/core";
import type { Listener, ListenerAddress } from "./listener.ts";
import { attributeEvents, runAsPart } from "./part-context.ts";

/** Dependencies of the supervision of a listener. */
export interface KeepListeningOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether uncaught errors are attributed to the listener. */
  readonly attributeErrors: boolean;
  /** Whether the listener closes because the server stops. */
  readonly isStopping: () => boolean;
  /** Called when the listener has closed unexpectedly, and again once it listens. */
  readonly onChange: (state: "down" | "listening") => void;
}

/** The waits before a listener that has closed is started again, in milliseconds. After the last one it stays closed. */
const restartWaitsMs: readonly number[] = [100, 500, 2_000, 5_000, 15_000, 60_000];

/** A listener that has listened for this long starts again with the first wait. */
const steadyMs = 10 * 60_000;

/** Starts a listener, and again on the same port whenever it closes although the server does not stop. */
async function keepListening(listener: Listener, options: KeepListeningOptions): Promise<string> {
  const { name, server } = listener;
  const { clock, logger, attributeErrors, isStopping, onChange } = options;
  const run = <Result>(work: () => Result) => (attributeErrors ? runAsPart(name, work) : work());
  let restarts = 0;
  let upSince = clock.monotonic();
  if (attributeErrors)
    for (const event of ["connection", "secureConnection"])
      server.prependListener(event, (socket: Socket) => attributeEvents(socket, name));
  const url = await run(() => listener.start());
  const { address: host, port } = server.address() as AddressInfo;
  const listenAgain = () => {
    if (clock.monotonic() - upSince > steadyMs) restarts = 0;
    const waitMs = restartWaitsMs[restarts++];
    if (waitMs === undefined) {
      logger.error("listener stays closed after repeated failures", { listener: name, url });
      return;
    }
    logger.error("listener closed unexpectedly; restarting", { listener: name, url, waitMs });
    const listen = () => !isStopping() && run(() => server.listen({ host, port, exclusive: true }));
    clock.after(waitMs, listen, { background: true });
  };
  server.on("listening", () => {
    upSince = clock.monotonic();
    logger.info("listening again", { listener: name, url });
    onChange("listening");
  });
  server.on("close", () => {
    if (isStopping()) return;
    onChange("down");
    listenAgain();
  });
  server.on("error", (error) => {
    logger.error("listener failed", { listener: name, url, error });
    // The port could not be bound again: the server was not listening, and does not emit "close".
    if (!server.listening && !isStopping()) listenAgain();
  });
  return url;
}

/** Callbacks and settings of running listeners. */
export interface RunOptions {
  /** Called with each address as soon as it accepts; a failure ends the start. */
  readonly onListening: (address: ListenerAddress) => void;
  /** Called when a listener has closed unexpectedly, and again once it listens. @default none */
  readonly onChange?: (listener: string, state: "down" | "listening") => void;
  /** Whether uncaught errors are attributed to their listener, which costs every request a little. @default false */
  readonly attributeErrors?: boolean;
  /** Called when they begin to stop. @default none */
  readonly onStopping?: () => void;
  /** Called once all listeners have stopped: the backend may be closed. */
  readonly afterStop: () => Promise<void>;
  /** Milliseconds that requests in flight have to finish. */
  readonly stopGraceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal?: AbortSignal;
}

/** Stops all listeners, then closes the backend. May be called twice. */
export type StopListeners = () => Promise<void>;

/** Starts every listener, or none: if one cannot start, the others are stopped again. */
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
