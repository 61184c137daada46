/** What a command line talks to. Injected, so that a test can run one without a process. */
export interface CommandIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user asks to stop: Ctrl+C, SIGTERM, or the reader of the output has gone. */
  readonly signal: AbortSignal;
}

/** The part of a writable stream that a command uses. */
export interface TextSink {
  /** False asks the writer to wait for `drain`. */
  write(text: string): unknown;
  once?(event: "drain" | "close", listener: () => void): unknown;
  /** Whether a person looks at it. */
  readonly isTTY?: boolean | undefined;
}

/** What every command gets beside its own options. */
export interface CommandContext {
  readonly io: CommandIo;
  /** Writes one result to stdout: `text` for people, or `value` as one line of JSON where `--json` is given. */
  print(text: string, value: object): void;
}

/** A context whose output form is asked at each print, because options are parsed after commands are declared. */
export function commandContext(io: CommandIo, wantsJson: () => boolean): CommandContext {
  return {
    io,
    print(text, value) {
      io.stdout.write(`${wantsJson() ? JSON.stringify(value) : text}\n`);
    },
  };
}
