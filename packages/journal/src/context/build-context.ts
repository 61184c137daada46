import { logged } from "@tablekeep/client";
import { checkPort, type DynamoPort } from "@tablekeep/core";
import { createCodecs } from "../codecs/create-codecs.ts";
import { optionInvalid } from "../errors/journal-error.ts";
import { layoutOf } from "../layouts/layout-of.ts";
import { type JournalContext, writesUnderWay } from "./journal-context.ts";
import {
  type JournalOptions,
  type ResolvedJournalOptions,
  resolveJournalOptions,
} from "./journal-options.ts";

/** The number of items over which the registry of ids is spread. A constant of the format. */
const registryShards = 64;

/** Creates the context of a journal with these options. Sends nothing: what is stored about Akka is added when it is opened. */
export function buildContext(
  port: DynamoPort,
  options: JournalOptions,
): { readonly context: JournalContext; readonly settings: ResolvedJournalOptions } {
  checkPort(port, optionInvalid);
  const settings = resolveJournalOptions(options);
  const context: JournalContext = {
    ...settings,
    akka: settings.akka ?? "none",
    hasAllRegistered: settings.layout === "packed",
    port: settings.tracing ? logged(port, settings.logger, { tracing: true, clock: settings.clock }) : port,
    layout: layoutOf(settings),
    codecs: options.codecs ?? createCodecs({ akka: settings.akka === "none" ? undefined : settings.akka }),
    events: options.events,
    registryShards,
    writesUnderWay: writesUnderWay(settings.clock),
  };
  return { context, settings };
}
