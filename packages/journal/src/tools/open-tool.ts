import { setMaxListeners } from "node:events";
import type { CallOptions, DynamoPort } from "@tablekeep/core";
import { buildContext } from "../context/build-context.ts";
import { type JournalContext, requestOptions } from "../context/journal-context.ts";
import type { JournalOptions, ResolvedJournalOptions } from "../context/journal-options.ts";
import { rateBounded } from "../context/rate-bounded.ts";
import { checkSettings, checkSettingsToRead } from "../settings/check-settings.ts";
import type { ToolOptions } from "./tool-options.ts";

/** The context of a tool. */
export interface Tool {
  readonly context: JournalContext;
  readonly settings: ResolvedJournalOptions;
  /** The tool's signal; the journal's deadline is that of each request. */
  readonly call: CallOptions;
}

/** Opens a journal for a tool that only reads: nothing is written, not even the journal's own record. */
export async function openToRead(
  port: DynamoPort,
  journal: JournalOptions,
  options: ToolOptions,
): Promise<Tool> {
  const tool = toolOf(port, journal, options);
  return { ...tool, context: await checkSettingsToRead(tool.context, tool.settings, journal) };
}

/** Opens a journal for a tool that writes to it. */
export async function openToWrite(
  port: DynamoPort,
  journal: JournalOptions,
  options: ToolOptions,
): Promise<Tool> {
  const tool = toolOf(port, journal, options);
  return { ...tool, context: await checkSettings(tool.context, tool.settings, journal) };
}

function toolOf(port: DynamoPort, journal: JournalOptions, options: ToolOptions): Tool {
  const { context, settings } = buildContext(port, journal);
  const bounded = { ...context, port: rateBounded(context.port, options, context.clock) };
  return { context: bounded, settings, call: requestOptions(bounded, { signal: signalOf(options) }) };
}

/**
 * Returns a signal that aborts with the caller's. Each request listens to its signal: a tool has many under way, and Node warns of a leak
 * where more than ten listen to one.
 */
function signalOf({ signal }: ToolOptions): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  const own = AbortSignal.any([signal]);
  setMaxListeners(0, own);
  return own;
}
