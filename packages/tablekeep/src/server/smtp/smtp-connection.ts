import type { Duplex } from "node:stream";
import { type Clock, sleep } from "@tablekeep/core";

/** A socket read and written in turns. Nothing of it throws: what is wrong with it ends it. */
export interface SmtpConnection {
  /** Why nothing more comes; undefined while something may. The first reason counts. */
  readonly ended: string | undefined;
  /** The next bytes; undefined once {@link ended}. Waits at most `timeoutMs` for them. */
  read(timeoutMs: number): Promise<Buffer | undefined>;
  /** Resolves once the socket takes more, or has {@link ended}. */
  write(text: string, timeoutMs: number): Promise<void>;
  /** Makes a read that waits end with `reason`. */
  interrupt(reason: string): void;
  /** Drops what was received and not read, and lets go of the socket: another one takes its place. */
  release(): void;
}

/** What a slow connection needs. */
export interface Pace {
  readonly bytesPerSecond: number;
  readonly signal: AbortSignal;
}

export function smtpConnection(socket: Duplex, clock: Clock, pace?: Pace): SmtpConnection {
  let ended: string | undefined;
  let wake: (() => void) | undefined;
  const wakeUp = () => wake?.();
  const end = (reason: string) => {
    ended ??= reason;
    wakeUp();
  };
  const listeners = {
    readable: wakeUp,
    drain: wakeUp,
    end: () => end("the client closed the connection"),
    close: () => end("the connection broke off"),
    error: (error: NodeJS.ErrnoException) => end(`the connection broke off: ${error.code ?? error.message}`),
  };
  for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);

  /** Until one of the events above, but no longer than the timeout. */
  const event = async (timeoutMs: number, timeoutReason: string): Promise<void> => {
    const cancel = clock.after(timeoutMs, () => end(timeoutReason));
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    wake = undefined;
    cancel();
  };
  const slowDown = async (bytes: number): Promise<void> => {
    if (pace === undefined) return;
    await sleep(clock, (bytes / pace.bytesPerSecond) * 1000, pace.signal).catch(() =>
      end("the server stops"),
    );
  };

  return {
    get ended() {
      return ended;
    },
    async read(timeoutMs) {
      // The stream ends only after its last byte was read: what a client said before it closed is heard.
      while (ended === undefined) {
        const chunk = readSome(socket, pace);
        if (chunk !== null) {
          await slowDown(chunk.length);
          return chunk;
        }
        await event(timeoutMs, "the client said nothing for too long");
      }
      return undefined;
    },
    async write(text, timeoutMs) {
      await slowDown(text.length);
      if (!socket.writable || socket.write(text)) return;
      // A client that closed its own side may still read.
      while (socket.writableNeedDrain && socket.writable) {
        const before = ended;
        await event(timeoutMs, "the client did not read what it was told");
        if (before !== ended && ended !== undefined) return;
      }
    },
    interrupt: end,
    release() {
      while (socket.read() !== null);
      for (const [name, listener] of Object.entries(listeners)) socket.off(name, listener);
    },
  };
}

/** A slow connection gives a tenth of a second's worth at a time. */
function readSome(socket: Duplex, pace: Pace | undefined): Buffer | null {
  if (pace === undefined || socket.readableLength === 0) return socket.read();
  return socket.read(Math.min(socket.readableLength, Math.ceil(pace.bytesPerSecond / 10)));
}
