import { streamOutput } from "./tables/dump-output.ts";

/** What a command line talks to. Injected, so that a test can run one without a process. */
export interface CommandIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** What the command is given to read. @default nothing */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user asks to stop: Ctrl+C, SIGTERM, or the reader of the output has gone. */
  readonly signal: AbortSignal;
  /** Asks the person at the terminal; undefined where there is none. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
  /**
   * Gives errors that nobody catches to `listener`, and keeps the process running; returns the function that ends this.
   * @default such an error ends the process
   */
  readonly onUncaught?: ((listener: (error: unknown) => void) => () => void) | undefined;
}

/** The part of a writable stream that a command uses. */
export interface TextSink {
  /** False asks the writer to wait for `drain`. */
  write(text: string | Uint8Array): unknown;
  once?(event: "drain" | "close", listener: () => void): unknown;
  off?(event: "drain" | "close", listener: () => void): unknown;
  /** Whether a person looks at it. */
  readonly isTTY?: boolean | undefined;
}

/** What every command gets beside its own options. */
export interface CommandContext {
  readonly io: CommandIo;
  /** Writes one result to stdout: `text` for people, or `value` as one line of JSON where `--json` is given. */
  print(text: string, value: object): void;
  /** The same for one of many results: resolves once the reader of the output has caught up. */
  printNext(text: () => string, value: () => object): Promise<void>;
}

/** A context whose output form is asked at each print, because options are parsed after commands are declared. */
export function commandContext(io: CommandIo, wantsJson: () => boolean): CommandContext {
  const output = streamOutput(io.stdout);
  return {
    io,
    print(text, value) {
      io.stdout.write(`${wantsJson() ? JSON.stringify(value) : text}\n`);
    },
    printNext: (text, value) => output.write(`${wantsJson() ? JSON.stringify(value()) : text()}\n`),
  };
}
