/** `help mail send` as `mail send --help`: the parser's own `help` looks at one word, and shows the help of `mail`. */
export function helpWords(argv: readonly string[]): readonly string[] {
  const words = argv.filter((word) => !word.startsWith("-"));
  if (words[0] !== "help" || words.length < 3) return argv;
  return [...argv.toSpliced(argv.indexOf("help"), 1), "--help"];
}
