import { silentLogger, systemClock } from "@tablekeep/core";
import { createChaos, createTranscripts } from "@tablekeep/mail/smtp";
import { onTestFinished } from "vitest";
import { type SmtpListenerOptions, smtpListener } from "../../src/server/mail/smtp-listener.ts";
import { memoryReceiver } from "./memory-receiver.ts";

/** An SMTP listener on a free port that stops with the test. */
export async function startSmtp(options: Partial<SmtpListenerOptions> = {}) {
  const receiver = memoryReceiver();
  const clock = options.clock ?? systemClock;
  const transcripts = options.transcripts ?? createTranscripts(clock);
  const listener = smtpListener({
    target: { listener: "smtp", host: "127.0.0.1", port: 0, portFlag: "--smtp-port" },
    receiver,
    hostname: "mailhog.example",
    transcripts,
    chaos: createChaos(),
    clock,
    logger: silentLogger,
    ...options,
  });
  const url = await listener.start();
  onTestFinished(() => listener.stop(0));
  return { url, port: Number(new URL(url).port), listener, receiver, transcripts };
}
