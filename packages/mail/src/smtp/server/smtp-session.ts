import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionFate, chaosByMessage } from "../chaos.ts";
import { formatReply, type SmtpReply, smtpReply } from "../dialogue/replies.ts";
import { type SmtpDialogue, smtpDialogue } from "../dialogue/smtp-dialogue.ts";
import type { SignIn, SmtpAnswer, SmtpStep } from "../dialogue/smtp-step.ts";
import type { TranscriptWriter } from "../transcripts.ts";
import { MessageInFlight } from "./message-in-flight.ts";
import type { SmtpPeer, SmtpSessionContext } from "./session-context.ts";
import { closeGracefully, type SmtpConnection, smtpConnection } from "./smtp-connection.ts";
import { startTls } from "./start-tls.ts";

/** A session in progress. */
export interface SmtpServerSession {
  /** Resolves when the session has ended; never rejects. */
  readonly done: Promise<void>;
  /** Ends it with a last reply: at once, or after the message in flight. */
  stop(): void;
  /** Ends it at once. */
  cut(reason: string): void;
  /**
   * Since when the client has made no progress towards a message, or has read nothing, on the clock's monotonic time;
   * undefined while the session is busy.
   */
  idleSince(): number | undefined;
}

const chaosStride = 16 * 1024;

/** A client that pauses within a message for longer than this makes no progress. */
const pauseMs = 50_000;

/** Commands that lead to a message. Others are not progress, because a client could repeat them forever. */
const towardsMessage = /^\s*(?:MAIL|RCPT|DATA|AUTH|STARTTLS)\b/i;

export function smtpSession(
  socket: Socket,
  transcript: TranscriptWriter,
  fate: ConnectionFate | undefined,
  context: SmtpSessionContext,
): SmtpServerSession {
  const session = new Session(socket, transcript, fate, context);
  return {
    done: session.run(),
    stop: () => session.stop(),
    cut: (reason) => session.cut(reason),
    idleSince: () => session.idleSince(),
  };
}

/** Carries out the steps of the dialogue: with a socket, a mail store and a transcript. */
class Session {
  readonly #socket: Socket;
  readonly #transcript: TranscriptWriter;
  readonly #fate: ConnectionFate | undefined;
  readonly #context: SmtpSessionContext;
  readonly #dialogue: SmtpDialogue;
  readonly #message: MessageInFlight;
  #stream: Duplex;
  #connection: SmtpConnection;
  /** Replies that are not sent yet. Replies to pipelined commands are sent together. */
  #unsent = "";
  #stopping = false;
  /** Since when a command or a message is expected; undefined once it has arrived. */
  #expectedSince: number | undefined;
  #expectsMessage = false;
  /** Since when this session waits for the client; undefined while it does not. */
  #waitingSince: number | undefined;
  /** When the client last made progress towards a message. */
  #progressAt: number;
  #untilChaos = chaosStride;

  constructor(
    socket: Socket,
    transcript: TranscriptWriter,
    fate: ConnectionFate | undefined,
    context: SmtpSessionContext,
  ) {
    const { hostname, limits, authentication, secureContext, implicitTls, strict } = context;
    this.#socket = socket;
    this.#transcript = transcript;
    this.#fate = fate;
    this.#context = context;
    this.#message = new MessageInFlight(context, transcript);
    this.#progressAt = context.clock.monotonic();
    this.#stream = socket;
    this.#connection = this.#connect(socket);
    this.#dialogue = smtpDialogue({
      hostname,
      software: "MailHog",
      limits,
      signIn: authentication.rules,
      startTls: secureContext !== undefined && !implicitTls,
      secure: implicitTls,
      chaos: this.#chaos(),
      strict,
      rejectRecipient: context.rejectRecipient,
    });
  }

  async run(): Promise<void> {
    const { logger, implicitTls } = this.#context;
    let ending = "internal error";
    try {
      const failure = implicitTls ? await this.#upgrade() : undefined;
      ending = failure ?? (await this.#converse());
    } catch (error) {
      logger.error("an SMTP session failed", { error });
    }
    await this.#message.discard();
    this.#transcript.end(ending);
    await this.#flush();
    await closeGracefully(this.#stream, this.#context);
    this.#socket.destroy();
  }

  cut(reason: string): void {
    this.#connection.interrupt(reason);
  }

  idleSince(): number | undefined {
    if (this.#connection.blockedSince !== undefined) return this.#connection.blockedSince;
    if (this.#waitingSince === undefined) return undefined;
    return this.#message.exists ? this.#waitingSince + pauseMs : this.#progressAt;
  }

  stop(): void {
    this.#stopping = true;
    // A client that reads slowly still gets the reply to its message, within the grace period.
    if (!this.#message.exists && this.#waitingSince !== undefined) {
      this.#connection.interrupt("the server is stopping");
    }
  }

  /** Runs the dialogue step by step; returns why it ended. */
  async #converse(): Promise<string> {
    let answer: SmtpAnswer | undefined;
    while (true) {
      const step = this.#dialogue.next(answer);
      answer = undefined;
      switch (step.kind) {
        case "reply":
          this.#reply(step.reply);
          break;
        case "more": {
          const bytes = await this.#read();
          if (bytes === undefined) return this.#closingReply();
          this.#dialogue.feed(bytes);
          break;
        }
        case "close":
          return "the session ended";
        default:
          if (this.#disconnectsByChaos(step)) return "chaos: disconnected";
          answer = await this.#act(step);
          if (this.#connection.ended !== undefined && step.kind === "upgrade") return this.#connection.ended;
      }
    }
  }

  async #act(step: SmtpStep): Promise<SmtpAnswer | undefined> {
    switch (step.kind) {
      case "received":
        this.#transcript.add(">", step.line);
        if (towardsMessage.test(step.line)) this.#progressAt = this.#context.clock.monotonic();
        return undefined;
      case "note":
        this.#transcript.add("*", step.text);
        return undefined;
      case "sign-in":
        await this.#flush();
        return { kind: (await this.#checkCredentials(step.signIn)) ? "granted" : "denied" };
      case "begin":
        return this.#message.begin(step.envelope, this.#peer());
      case "content":
        return this.#message.write(step.bytes);
      case "discard":
        await this.#message.discard();
        return undefined;
      case "commit":
        return this.#commit();
      case "upgrade":
        await this.#upgrade();
        return undefined;
      default:
        return undefined;
    }
  }

  #peer(): SmtpPeer {
    const { remoteAddress: address = "", localPort: port = 0 } = this.#socket;
    return { address, port };
  }

  #chaos() {
    const { chaosOf } = this.#context;
    if (chaosOf === undefined) return this.#fate;
    const peer = this.#peer();
    return chaosByMessage(this.#fate, (user, to) => chaosOf({ user, to, peer }));
  }

  #checkCredentials(signIn: SignIn): Promise<boolean> {
    return this.#context.authentication.check(signIn, this.#socket.remoteAddress ?? "");
  }

  async #commit(): Promise<SmtpAnswer> {
    const answer = await this.#message.finish();
    this.#progressAt = this.#context.clock.monotonic();
    if (answer.kind === "stored") this.#context.observer.onStored();
    return answer;
  }

  /** Whether chaos ends the connection here. */
  #disconnectsByChaos(step: SmtpStep): boolean {
    if (this.#fate === undefined) return false;
    if (step.kind === "received") return this.#fate.disconnects();
    if (step.kind !== "content") return false;
    this.#untilChaos -= step.bytes.length;
    while (this.#untilChaos <= 0) {
      this.#untilChaos += chaosStride;
      if (this.#fate.disconnects()) return true;
    }
    return false;
  }

  #reply(reply: SmtpReply): void {
    this.#unsent += formatReply(reply);
    // Each command and each message gets one reply. The time limit of the next one starts after it.
    this.#expectedSince = undefined;
    this.#expectsMessage = reply.code === 354;
    if (reply.code >= 400) this.#context.observer.onRejected(reply.code);
    for (const line of reply.lines) this.#transcript.add("<", `${reply.code} ${line}`);
  }

  async #read(): Promise<Buffer | undefined> {
    await this.#flush();
    if (this.#stopping && !this.#message.exists) this.#connection.interrupt("the server is stopping");
    const { clock, limits } = this.#context;
    const now = clock.monotonic();
    this.#expectedSince ??= now;
    const left = this.#expectedSince + (this.#expectsMessage ? limits.messageMs : limits.idleMs) - now;
    // A client that sends without a pause never makes a read time out.
    if (left <= 0) this.#connection.interrupt("the client took too long");
    // Bytes of a message are progress; bytes of an unfinished command are not.
    this.#waitingSince = this.#expectsMessage ? now : this.#expectedSince;
    const bytes = await this.#connection.read(Math.min(limits.idleMs, left));
    this.#waitingSince = undefined;
    return bytes;
  }

  async #flush(): Promise<void> {
    if (this.#unsent === "") return;
    const text = this.#unsent;
    this.#unsent = "";
    await this.#connection.write(text, this.#context.limits.idleMs);
  }

  /** Sends 421 to a client that is still connected. Returns why the session ends. */
  async #closingReply(): Promise<string> {
    const reason = this.#connection.ended ?? "the session ended";
    if (this.#stopping) this.#reply(smtpReply(421, "Service shutting down"));
    else if (this.#stream.readable) this.#reply(smtpReply(421, "Too slow, closing"));
    await this.#flush();
    return reason;
  }

  /** Returns the reason if the handshake failed. */
  async #upgrade(): Promise<string | undefined> {
    const { secureContext, limits, clock, signal } = this.#context;
    if (secureContext === undefined) return "there is no certificate";
    await this.#flush();
    // The connection may have been closed meanwhile.
    if (this.#connection.ended !== undefined) return this.#connection.ended;
    this.#connection.release();
    try {
      const secured = await startTls(this.#socket, {
        secureContext,
        timeoutMs: limits.handshakeMs,
        clock,
        signal,
      });
      this.#transcript.secured();
      this.#transcript.add("*", `TLS: ${secured.getProtocol() ?? "unknown"}`);
      this.#stream = secured;
      this.#connection = this.#connect(secured);
      return undefined;
    } catch (error) {
      const reason = `no TLS: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`;
      this.#connection = this.#connect(this.#socket);
      this.#connection.interrupt(reason);
      return reason;
    }
  }

  #connect(stream: Duplex): SmtpConnection {
    return smtpConnection(stream, this.#context.clock, this.#fate?.bytesPerSecond);
  }
}
