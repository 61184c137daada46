import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type LinkedSignal, linkSignals } from "@tablekeep/core";
import { closeGracefully, type SmtpConnection, smtpConnection } from "../../smtp/server/smtp-connection.ts";
import { startTls } from "../../smtp/server/start-tls.ts";
import type { AnswerPiece } from "../protocol/imap-format.ts";
import { ImapInput, ImapInputTooLarge, ImapLiteralTooLarge } from "../protocol/imap-input.ts";
import { type CommandPiece, ImapSyntaxError, type ImapValue, parseValues } from "../protocol/imap-values.ts";
import { commands } from "./imap-commands.ts";
import type { SelectedView } from "./selected-view.ts";
import { ImapRefusal, type ImapSessionContext, type ImapSessionState } from "./session-state.ts";

/** One client. Commands are performed one after the other. */
export class ImapSession implements ImapSessionState {
  readonly context: ImapSessionContext;
  /** Aborted when the client disconnects, or the server stops. */
  readonly signal: AbortSignal;
  secure = false;
  user: string | undefined;
  inbox: string | undefined;
  failedSignIns = 0;
  /** Set by LOGOUT, and when the session cannot continue. */
  closing = false;
  readonly #socket: Socket;
  readonly #gone: LinkedSignal;
  readonly #startedAt: number;
  #view: SelectedView | undefined;
  #stream: Duplex;
  #connection: SmtpConnection;
  #input: ImapInput;
  #faults = 0;

  constructor(socket: Socket, context: ImapSessionContext) {
    this.context = context;
    this.#socket = socket;
    this.#stream = socket;
    this.#startedAt = context.clock.monotonic();
    this.#connection = smtpConnection(socket, context.clock);
    this.#input = this.#inputOf();
    this.#gone = linkSignals(context.signal);
    this.signal = this.#gone.signal;
    socket.once("close", () => this.#gone.abort(new Error("the client disconnected")));
  }

  get address(): string {
    return this.#socket.remoteAddress ?? "";
  }

  get input(): ImapInput {
    return this.#input;
  }

  get stream(): Duplex {
    return this.#stream;
  }

  get view(): SelectedView | undefined {
    return this.#view;
  }

  select(view: SelectedView | undefined): void {
    this.#view?.close();
    this.#view = view;
  }

  async run(): Promise<void> {
    const { clock, logger, signal } = this.context;
    const stop = () => this.#connection.interrupt("the server is stopping");
    signal.addEventListener("abort", stop, { once: true });
    try {
      await this.write([`* OK [CAPABILITY ${this.capabilities()}] IMAP4rev1 ready\r\n`]);
      while (!this.closing && (await this.#next()));
    } catch (error) {
      if (error instanceof ImapInputTooLarge) await this.write([`* BYE ${error.message}\r\n`]);
      else if (!this.signal.aborted) logger.error("an IMAP session failed", { error });
    } finally {
      signal.removeEventListener("abort", stop);
      this.select(undefined);
      if (signal.aborted && this.#stream.writable) this.#stream.write("* BYE the server stops\r\n");
      await closeGracefully(this.#stream, { clock, signal });
      this.#stream.destroy();
      this.#socket.destroy();
    }
  }

  /** The current capabilities of the server. */
  capabilities(): string {
    const canStartTls = this.context.secureContext !== undefined && !this.secure;
    const canSignIn = this.user === undefined && this.mayUsePasswords();
    return [
      "IMAP4rev1",
      "IDLE",
      "UNSELECT",
      "ID",
      "NAMESPACE",
      // Clients ask before they send a longer literal, which can be rejected then.
      "LITERAL-",
      ...(canStartTls ? ["STARTTLS"] : []),
      ...(canSignIn ? ["AUTH=PLAIN", "SASL-IR"] : []),
      ...(this.user === undefined && !canSignIn ? ["LOGINDISABLED"] : []),
    ].join(" ");
  }

  /** With users and a certificate, passwords are accepted under TLS only. */
  mayUsePasswords(): boolean {
    const { checkPassword, secureContext } = this.context;
    return this.secure || checkPassword === undefined || secureContext === undefined;
  }

  /** Writes a response. Waits while the client does not read. */
  async write(pieces: readonly AnswerPiece[]): Promise<void> {
    const { writeMs } = this.context.limits;
    for (const piece of joined(pieces)) await this.#connection.write(piece, writeMs);
    if (this.#connection.ended?.includes("did not read")) this.#gone.abort(new Error(this.#connection.ended));
  }

  /** Replaces the socket with one with TLS. Earlier input of the client is dropped. */
  async upgrade(): Promise<void> {
    const { secureContext, clock, signal } = this.context;
    if (secureContext === undefined) throw new ImapRefusal("TLS is not available");
    this.#input.drop();
    this.#connection.release();
    this.#stream = await startTls(this.#socket, { secureContext, timeoutMs: 30_000, clock, signal });
    this.#connection = smtpConnection(this.#stream, clock);
    this.#input = this.#inputOf();
    this.secure = true;
  }

  #inputOf(): ImapInput {
    const { limits, clock } = this.context;
    const connection = this.#connection;
    const read = () => {
      const left = this.#startedAt + limits.signInMs - clock.monotonic();
      return connection.read(this.user === undefined ? Math.max(1, left) : limits.idleMs);
    };
    return new ImapInput({ read, onContinue: () => this.write(["+ go ahead\r\n"]) }, limits);
  }

  /** Performs the next command. Returns false at the end of the input. */
  async #next(): Promise<boolean> {
    let pieces: CommandPiece[] | undefined;
    try {
      pieces = await this.#input.command();
    } catch (error) {
      if (error instanceof ImapLiteralTooLarge) {
        const reason = `[TOOBIG] ${error.message}, and mailboxes are read-only`;
        await this.#answer(commandHead(error.line)?.tag ?? "*", "NO", reason);
      } else if (error instanceof ImapSyntaxError) await this.#answer("*", "BAD", error.message);
      else throw error;
      return true;
    }
    if (pieces === undefined) return false;
    const [first = ""] = pieces;
    const head = commandHead(String(first));
    if (head === undefined) {
      if (pieces.length > 1 || first !== "") await this.#answer("*", "BAD", "expected a tag and a command");
      return true;
    }
    const rest = [String(first).slice(head.length), ...pieces.slice(1)];
    await this.#perform(head.tag, head.name, rest);
    return true;
  }

  async #perform(tag: string, name: string, pieces: readonly CommandPiece[]): Promise<void> {
    try {
      const values: readonly ImapValue[] = parseValues(pieces);
      const perform = Object.hasOwn(commands, name) ? commands[name] : undefined;
      if (perform === undefined) throw new ImapSyntaxError("unknown command");
      const text = await perform(this, values);
      this.#faults = 0;
      await this.write([`${tag} OK ${text}\r\n`]);
      if (name === "STARTTLS") await this.upgrade();
    } catch (error) {
      if (this.signal.aborted) throw error;
      if (error instanceof ImapSyntaxError) await this.#answer(tag, "BAD", error.message);
      else if (error instanceof ImapRefusal) await this.#answer(tag, "NO", error.message);
      else {
        if (name === "STARTTLS") throw error;
        this.context.logger.error("an IMAP command failed", { command: name, error });
        await this.#answer(tag, "NO", "[SERVERBUG] the command failed");
      }
    }
  }

  async #answer(tag: string, result: "NO" | "BAD", text: string): Promise<void> {
    await this.write([`${tag} ${result} ${text.replaceAll(/[^\x20-\x7e]/g, "?")}\r\n`]);
    if (++this.#faults < this.context.limits.faults) return;
    await this.write(["* BYE too many errors\r\n"]);
    this.closing = true;
  }
}

/** Tag and name at the start of a command, and their length. */
function commandHead(line: string): { tag: string; name: string; length: number } | undefined {
  const [head, tag = "", name = ""] =
    /^([!#$&',./\w:;<=>?@^`|~-]{1,100}) +([^\s(){}"]{1,40})(?: |$)/.exec(line) ?? [];
  return head === undefined ? undefined : { tag, name: name.toUpperCase(), length: head.length };
}

/** Larger pieces are written alone, in slices. */
const sliceBytes = 65_536;

/** Joins small pieces, and slices large ones. */
function* joined(pieces: readonly AnswerPiece[]): Generator<Uint8Array> {
  let small: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    if (bytes.length + size > sliceBytes) {
      if (size > 0) yield Buffer.concat(small);
      [small, size] = [[], 0];
    }
    if (bytes.length > sliceBytes) {
      for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
    } else {
      small.push(bytes);
      size += bytes.length;
    }
  }
  if (size > 0) yield Buffer.concat(small);
}
