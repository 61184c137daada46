/** Options of npm's smtp-server without authentication. */
export const plainSmtp = {
  authOptional: true,
  hideSTARTTLS: true,
  disableReverseLookup: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  logger: false,
};
