import type { Command } from "commander";
import { CliError } from "./cli-error.ts";

/** Verbs that have no meaning for a noun, and what to use instead. */
const withoutMeaning: Readonly<Record<string, string>> = {
  "feed put":
    'a feed is derived from its journal, so nothing is put into it: append events with "tablekeep journal put"',
  "feed delete":
    'a feed is derived from its journal, so it is not deleted: "tablekeep feed rebuild" builds it again, and "tablekeep journal delete" deletes events',
  "feed export":
    'a feed is derived from its journal: export events with "tablekeep journal export", or print them in the order of the feed with "tablekeep feed list --json"',
  "feed import":
    'a feed is derived from its journal: import events with "tablekeep journal import", then add them to the feed with "tablekeep feed run --once"',
  "projection put":
    'a program defines a projection and runs it with runProjections: to apply events again, use "tablekeep projection rewind"',
  "projection export":
    'what a projection has written is in tables of its program: use "tablekeep table export"; "tablekeep projection get --json" prints its positions',
  "projection import":
    'what a projection has written is in tables of its program: use "tablekeep table import"; "tablekeep projection rewind" moves its positions',
};

/** Words that other programs use for our nouns and verbs. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  auth: ["bcrypt", "login", "token", "user", "users"],
  delete: ["drop", "remove", "rm"],
  export: ["backup", "dump"],
  get: ["cat", "describe", "read", "show", "status", "view"],
  import: ["load", "restore"],
  journal: ["event", "events"],
  list: ["find", "ls", "query", "scan", "search"],
  mail: ["email", "message", "messages"],
  pause: ["stop"],
  put: ["add", "append", "create", "insert", "send", "set", "update", "write"],
  resume: ["start"],
  serve: ["run", "server", "start"],
  shadow: ["device", "devices", "thing", "things"],
  verify: ["check", "validate"],
  watch: ["follow", "tail"],
};

/**
 * Throws for an unknown command if the error can say more than that it is unknown: a verb without a meaning for
 * its noun, or another program's word for one of ours. The parser suggests only words with similar letters.
 */
export function checkCommandWords(program: Command, argv: readonly string[]): void {
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  let command = program;
  const path: string[] = [];
  for (const word of words.filter((each) => !each.startsWith("-") && each !== "help")) {
    if (command.commands.length === 0) return;
    const names = command.commands.map((each) => each.name());
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) {
      explain(word, [...path, word].join(" "), names);
      return;
    }
    command = next;
    path.push(word);
  }
}

function explain(word: string, path: string, names: readonly string[]): void {
  const reason = Object.hasOwn(withoutMeaning, path) ? withoutMeaning[path] : undefined;
  if (reason !== undefined) throw new CliError("CLI_COMMAND_UNKNOWN", `no command '${path}': ${reason}`);
  const meant = names.find((name) => Object.hasOwn(otherWords, name) && otherWords[name]?.includes(word));
  if (meant !== undefined)
    throw new CliError("CLI_COMMAND_UNKNOWN", `unknown command '${word}': did you mean ${meant}?`);
}
