/**
 * MailHog's flags have one dash or two, as all of Go's. `serve` takes both, so that a command line of MailHog's need not be
 * rewritten; no other command does, because one dash begins single letters there.
 */
export function oneDashFlags(argv: readonly string[]): readonly string[] {
  if (argv.find((word) => !word.startsWith("-")) !== "serve") return argv;
  return argv.map((word) => (/^-[a-z][a-z-]/.test(word) ? `-${word}` : word));
}
