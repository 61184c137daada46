/** Options of npm's smtp-server for one that asks no questions. */
export const plainSmtp = {
  authOptional: true,
  hideSTARTTLS: true,
  disableReverseLookup: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  logger: false,
};
