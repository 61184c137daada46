import type { ResolvedJournalOptions } from "../journal-options.ts";

/** Tells the logger how a journal is opened, if that is asked for. */
export function tellSettings(settings: ResolvedJournalOptions): void {
  if (!settings.logConfig) return;
  const { clock: _clock, random: _random, logger, ...told } = settings;
  logger.info("journal is opened", told);
}
