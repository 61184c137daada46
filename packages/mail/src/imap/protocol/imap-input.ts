import { type CommandPiece, ImapSyntaxError } from "./imap-values.ts";

/** A line that ended, and whether a literal of some bytes follows. */
interface Line {
  readonly text: string;
  readonly literal: { readonly bytes: number; readonly synchronizing: boolean } | undefined;
}

/** Input that exceeds a limit. The connection cannot continue, because the rest of the command cannot be skipped. */
export class ImapInputTooLarge extends Error {}

/** A literal that exceeds a limit, and that the client has not sent yet: it waits for permission. The connection can continue. */
export class ImapLiteralTooLarge extends Error {
  /** The first line of the command. */
  readonly line: string;

  constructor(line: string) {
    super("the literal is too large");
    this.line = line;
  }
}

/** The source of bytes. */
export interface ImapSource {
  /** The next bytes; undefined at the end. */
  read(): Promise<Buffer | undefined>;
  /** Called when the client waits for permission to send a literal. */
  onContinue(): Promise<void>;
}

export interface ImapInputLimits {
  readonly lineBytes: number;
  readonly commandBytes: number;
}

const lineFeed = 0x0a;

/** Cuts the bytes of a client into lines and commands, within limits. */
export class ImapInput {
  readonly #source: ImapSource;
  readonly #limits: ImapInputLimits;
  #unread: Buffer = Buffer.alloc(0);

  constructor(source: ImapSource, limits: ImapInputLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  /** Forgets bytes that have arrived: TLS begins. */
  drop(): void {
    this.#unread = Buffer.alloc(0);
  }

  /** The next line without its end, as a byte text; undefined at the end of the input. */
  async line(): Promise<string | undefined> {
    for (let from = 0; ; ) {
      const end = this.#unread.indexOf(lineFeed, from);
      if (end >= 0 && end <= this.#limits.lineBytes) {
        const text = this.#unread.toString("latin1", 0, end).replace(/\r$/, "");
        this.#unread = this.#unread.subarray(end + 1);
        return text;
      }
      if (this.#unread.length > this.#limits.lineBytes) throw new ImapInputTooLarge("the line is too long");
      from = this.#unread.length;
      if (!(await this.#more())) return undefined;
    }
  }

  /** The next command with its literals; undefined at the end of the input. */
  async command(): Promise<CommandPiece[] | undefined> {
    const pieces: CommandPiece[] = [];
    let size = 0;
    for (;;) {
      const text = await this.line();
      if (text === undefined) return undefined;
      const { text: own, literal } = parseLine(text);
      pieces.push(own);
      size += own.length + (literal?.bytes ?? 0);
      if (size > this.#limits.commandBytes)
        throw literal?.synchronizing
          ? new ImapLiteralTooLarge(String(pieces[0]))
          : new ImapInputTooLarge("the command is too long");
      if (literal === undefined) return pieces;
      if (literal.synchronizing) await this.#source.onContinue();
      const bytes = await this.#literal(literal.bytes);
      if (bytes === undefined) return undefined;
      if (bytes.includes(0)) throw new ImapSyntaxError("a literal contains a NUL");
      pieces.push(bytes);
    }
  }

  async #literal(bytes: number): Promise<Buffer | undefined> {
    while (this.#unread.length < bytes) if (!(await this.#more())) return undefined;
    const literal = Buffer.from(this.#unread.subarray(0, bytes));
    this.#unread = this.#unread.subarray(bytes);
    return literal;
  }

  async #more(): Promise<boolean> {
    const bytes = await this.#source.read();
    if (bytes === undefined) return false;
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    return true;
  }
}

function parseLine(line: string): Line {
  const [whole, digits, plus] = /\{(\d{1,9})(\+?)\}$/.exec(line) ?? [];
  if (whole === undefined || digits === undefined) return { text: line, literal: undefined };
  return {
    text: line.slice(0, -whole.length),
    literal: { bytes: Number(digits), synchronizing: plus === "" },
  };
}
