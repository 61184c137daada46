import type { Duplex } from "node:stream";
import type { Clock } from "@tablekeep/core";

/** Reads and writes a socket. Never throws: an error ends the connection. */
export interface SmtpConnection {
  /** Why the input ended; undefined while it is open. The first reason counts. */
  readonly ended: string | undefined;
  /** Since when a write has been waiting for the client to read, on the clock's monotonic time; undefined if none is. */
  readonly blockedSince: number | undefined;
  /** The next bytes; undefined once {@link ended}. Waits at most `timeoutMs` for them. */
  read(timeoutMs: number): Promise<Buffer | undefined>;
  /** Resolves once the socket accepts more. Waits at most `timeoutMs`, and not at all after {@link interrupt}. */
  write(data: string | Uint8Array, timeoutMs: number): Promise<void>;
  /** Stops waiting for the client, now and later, for `reason`. */
  interrupt(reason: string): void;
  /** Drops unread bytes and removes all listeners from the socket: a TLS socket replaces it. */
  release(): void;
}

/** Opens a connection on a socket; `bytesPerSecond` slows it down. */
export function smtpConnection(socket: Duplex, clock: Clock, bytesPerSecond?: number): SmtpConnection {
  let ended: string | undefined;
  /** Not set when a client closes only its own side: it may still read. */
  let abandoned = false;
  let blockedSince: number | undefined;
  const { event, wakeUp } = waiter(clock);
  const end = (reason: string) => {
    ended ??= reason;
    wakeUp();
  };
  const abandon = (reason: string) => {
    abandoned = true;
    end(reason);
  };
  const listeners = {
    readable: wakeUp,
    drain: wakeUp,
    end: () => end("the client closed the connection"),
    close: () => abandon("the connection broke off"),
    error: (error: NodeJS.ErrnoException) =>
      abandon(`the connection was lost: ${error.code ?? error.message}`),
  };
  for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);

  const slowDown = async (bytes: number): Promise<void> => {
    if (bytesPerSecond === undefined) return;
    const until = clock.monotonic() + (bytes / bytesPerSecond) * 1000;
    while (!abandoned && (await event(until - clock.monotonic())));
  };
  const drained = async (timeoutMs: number): Promise<void> => {
    const since = clock.monotonic();
    blockedSince = since;
    while (!abandoned && socket.writable && socket.writableNeedDrain) {
      const inTime = await event(since + timeoutMs - clock.monotonic());
      if (!inTime) abandon("the client did not read its replies");
    }
    blockedSince = undefined;
  };

  return {
    get ended() {
      return ended;
    },
    get blockedSince() {
      return blockedSince;
    },
    async read(timeoutMs) {
      // The stream ends only after its last byte was read: what the client sent before it closed is processed.
      while (ended === undefined) {
        const chunk = readSome(socket, bytesPerSecond);
        if (chunk !== null) {
          await slowDown(chunk.length);
          return chunk;
        }
        if (!(await event(timeoutMs))) abandon("the client was silent for too long");
      }
      return undefined;
    },
    async write(data, timeoutMs) {
      await slowDown(data.length);
      if (socket.writable && !socket.write(data)) await drained(timeoutMs);
    },
    interrupt: abandon,
    release() {
      while (socket.read() !== null);
      for (const [name, listener] of Object.entries(listeners)) socket.off(name, listener);
    },
  };
}

/** Supports one waiter at a time. */
function waiter(clock: Clock) {
  let wake: (() => void) | undefined;
  return {
    wakeUp: () => wake?.(),
    /** Resolves at the next wake-up; false if there is none in time. */
    event: (timeoutMs: number): Promise<boolean> =>
      new Promise((resolve) => {
        const settle = (happened: boolean) => {
          wake = undefined;
          cancel();
          resolve(happened);
        };
        const cancel = clock.after(timeoutMs, () => settle(false));
        wake = () => settle(true);
      }),
  };
}

/** Reads at most what a slow connection transfers in a tenth of a second. */
function readSome(socket: Duplex, bytesPerSecond: number | undefined): Buffer | null {
  if (bytesPerSecond === undefined || socket.readableLength === 0) return socket.read();
  return socket.read(Math.min(socket.readableLength, Math.ceil(bytesPerSecond / 10)));
}

/** How long to wait for the client to close its side. */
const patienceMs = 1_000;

/**
 * Closes our side, and resolves once the other one is closed too. Destroying a socket with unread bytes discards the last
 * reply, so that further input is read and dropped.
 */
export function closeGracefully(
  stream: Duplex,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(patienceMs, done);
    if (stream.destroyed || signal.aborted) return done();
    signal.addEventListener("abort", done, { once: true });
    const closedByBoth = () => {
      if (stream.writableFinished && stream.readableEnded) done();
    };
    stream.once("close", done).once("end", closedByBoth).once("finish", closedByBoth);
    stream.end();
    stream.resume();
    closedByBoth();
  });
}
