import type { Duplex } from "node:stream";
import type { Clock } from "@tablekeep/core";

/** A socket read and written in turns. Nothing of it throws: what is wrong with it ends it. */
export interface SmtpConnection {
  /** Why nothing more comes; undefined while something may. The first reason counts. */
  readonly ended: string | undefined;
  /** Since when a write waits for the client to read, on the clock's monotonic time; undefined while none does. */
  readonly deafSince: number | undefined;
  /** The next bytes; undefined once {@link ended}. Waits at most `timeoutMs` for them. */
  read(timeoutMs: number): Promise<Buffer | undefined>;
  /** Resolves once the socket takes more. Waits at most `timeoutMs` for that, and not at all for a client given up. */
  write(text: string, timeoutMs: number): Promise<void>;
  /** Gives the client up for `reason`: what waits for it ends, and nothing waits for it again. */
  interrupt(reason: string): void;
  /** Drops what was received and not read, and lets go of the socket: another one takes its place. */
  release(): void;
}

/** With `bytesPerSecond` the connection is a slow one. */
export function smtpConnection(socket: Duplex, clock: Clock, bytesPerSecond?: number): SmtpConnection {
  let ended: string | undefined;
  /** Not so for a client that closed its own side: it may still read. */
  let givenUp = false;
  let deafSince: number | undefined;
  const { event, wakeUp } = waiter(clock);
  const end = (reason: string) => {
    ended ??= reason;
    wakeUp();
  };
  const giveUp = (reason: string) => {
    givenUp = true;
    end(reason);
  };
  const listeners = {
    readable: wakeUp,
    drain: wakeUp,
    end: () => end("the client closed the connection"),
    close: () => giveUp("the connection broke off"),
    error: (error: NodeJS.ErrnoException) =>
      giveUp(`the connection broke off: ${error.code ?? error.message}`),
  };
  for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);

  const slowDown = async (bytes: number): Promise<void> => {
    if (bytesPerSecond === undefined) return;
    const until = clock.monotonic() + (bytes / bytesPerSecond) * 1000;
    while (!givenUp && (await event(until - clock.monotonic())));
  };
  const drained = async (timeoutMs: number): Promise<void> => {
    const since = clock.monotonic();
    deafSince = since;
    while (!givenUp && socket.writable && socket.writableNeedDrain) {
      const inTime = await event(since + timeoutMs - clock.monotonic());
      if (!inTime) giveUp("the client did not read what it was told");
    }
    deafSince = undefined;
  };

  return {
    get ended() {
      return ended;
    },
    get deafSince() {
      return deafSince;
    },
    async read(timeoutMs) {
      // The stream ends only after its last byte was read: what a client said before it closed is heard.
      while (ended === undefined) {
        const chunk = readSome(socket, bytesPerSecond);
        if (chunk !== null) {
          await slowDown(chunk.length);
          return chunk;
        }
        if (!(await event(timeoutMs))) giveUp("the client said nothing for too long");
      }
      return undefined;
    },
    async write(text, timeoutMs) {
      await slowDown(text.length);
      if (socket.writable && !socket.write(text)) await drained(timeoutMs);
    },
    interrupt: giveUp,
    release() {
      while (socket.read() !== null);
      for (const [name, listener] of Object.entries(listeners)) socket.off(name, listener);
    },
  };
}

/** For one that waits at a time. */
function waiter(clock: Clock) {
  let wake: (() => void) | undefined;
  return {
    wakeUp: () => wake?.(),
    /** Until the next wake-up; false if there is none in time. */
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

/** A slow connection gives a tenth of a second's worth at a time. */
function readSome(socket: Duplex, bytesPerSecond: number | undefined): Buffer | null {
  if (bytesPerSecond === undefined || socket.readableLength === 0) return socket.read();
  return socket.read(Math.min(socket.readableLength, Math.ceil(bytesPerSecond / 10)));
}

/** How long a client may take to close its side. */
const patienceMs = 1_000;

/**
 * Closes our side, and resolves once the other one is closed too. A socket that is destroyed with unread bytes in it takes
 * back its last words, so what still comes is read and dropped.
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
