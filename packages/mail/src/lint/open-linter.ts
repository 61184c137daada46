import { createRequire } from "node:module";
import { type Clock, optionCheck, systemClock } from "@tablekeep/core";
import { checkBytes, checkOptions, MailError } from "../model/mail-error.ts";
import { copyInTurns, messageThread } from "../thread/message-thread.ts";
import { parseZone } from "./auth/zone.ts";
import { checkLintOptions, type LintOptions } from "./lint-message.ts";
import type { LintFinding } from "./lint-rules.ts";

/** Options of {@link openLinter}. */
export interface LinterOptions {
  /** Milliseconds to check one message. @default 10,000 */
  readonly timeoutMs?: number;
  /** Heap of the thread in MB. @default 512 */
  readonly memoryMb?: number;
  /** Maximum bytes of a message. @default 52,428,800 */
  readonly maxBytes?: number;
  readonly clock?: Clock;
}

/** Checks messages in a separate thread, one after the other. */
export interface Linter {
  /**
   * Returns what `lintMessage` does. Rejects with `MAIL_LINT_REFUSED` if the message is larger or slower to check than allowed.
   *
   * @example
   * const findings = await linter.lint(message.raw, { allowHosts: ["localhost"] });
   */
  lint(
    raw: Uint8Array,
    options?: LintOptions,
    call?: { readonly signal?: AbortSignal },
  ): Promise<LintFinding[]>;
  /** Ends the thread. */
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);

/** The program of the thread. It loads the compiled package, because Node 20 cannot run TypeScript. */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const { pathToFileURL } = require("node:url");
const answer = (lintMessage) => async ({ raw, options }) => {
  try {
    parentPort.postMessage({ result: await lintMessage(raw, options) });
  } catch (error) {
    parentPort.postMessage({ reason: String(error?.message ?? error) });
  }
};
import(pathToFileURL(workerData.lint)).then(({ lintMessage }) => {
  parentPort.postMessage("ready");
  parentPort.on("message", answer(lintMessage));
});
`;

/**
 * Opens a linter: for a server, whose event loop a large message must not block. The thread starts with the first message, and again
 * after a message that had to be stopped.
 *
 * @example
 * const linter = openLinter();
 * const findings = await linter.lint(message.raw);
 * await linter.close();
 */
export function openLinter(options: LinterOptions = {}): Linter {
  checkOptions(options, {
    timeoutMs: optionCheck.milliseconds,
    memoryMb: optionCheck.integer(32),
    maxBytes: optionCheck.integer(1),
    clock: optionCheck.clock,
  });
  const { timeoutMs = 10_000, memoryMb = 512, maxBytes = 52_428_800, clock = systemClock } = options;
  const thread = messageThread<LintFinding[]>({
    name: "linter",
    program,
    workerData: { lint: require.resolve("@tablekeep/mail/lint") },
    timeoutMs,
    memoryMb,
    maxBytes,
    clock,
    refused: (reason) =>
      new MailError("MAIL_LINT_REFUSED", `the message cannot be checked: ${reason}`, { reason }),
  });
  return {
    async lint(raw, given = {}, { signal } = {}) {
      checkBytes(raw);
      // Here, so that invalid options keep their errors.
      checkLintOptions(given);
      if (given.zone !== undefined) parseZone(given.zone);
      if (signal !== undefined) checkOptions({ signal }, { signal: optionCheck.signal });
      return thread.run(raw, async () => ({ raw: await copyInTurns([raw]), options: given }), signal);
    },
    close: thread.close,
  };
}
