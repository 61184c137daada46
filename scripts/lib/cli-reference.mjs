/**
 * Brings docs/reference/cli.md up to date with the program: a section for each command, in the order of the program, with a
 * row for each option. Hand-written text stays: introductions, and the rows of options that exist.
 */

/**
 * @typedef {object} CommandLike the part of a parser's command that the page shows
 * @property {() => string} name
 * @property {() => string} description
 * @property {readonly CommandLike[]} commands
 * @property {readonly { flags: string, description: string, defaultValue?: unknown, mandatory?: boolean }[]} options
 */

const dataHeading = "## Where the data is";
/** The page refers to the options of serve instead of listing them again. */
const hasOptionsOfServe = ["config", "doctor"];
const tableHead = ["| option | description | default |", "| --- | --- | --- |"];

/**
 * @param {string} page the page as it is
 * @param {CommandLike} program the program with all its commands
 * @returns {string} the page as it should be
 */
export function cliReference(page, program) {
  const sections = page.split(/^(?=## )/m);
  const isCommand = (section) => section.startsWith("## tablekeep ");
  const first = sections.findIndex(isCommand);
  const last = sections.findLastIndex(isCommand);
  const written = new Map(sections.filter(isCommand).map((section) => [headingOf(section), section]));
  const dataFlags = flagsIn(sections.find((section) => headingOf(section) === dataHeading) ?? "");
  const current = commandsUnder(program, []).map(({ path, command }) => {
    const heading = `## tablekeep ${path.join(" ")}`;
    const section = written.get(heading) ?? `${heading}\n\n${command.description()}\n\n`;
    // A group describes what its commands share.
    if (command.commands.length > 0 || hasOptionsOfServe.includes(path.join(" "))) return section;
    const group = flagsIn(written.get(`## tablekeep ${path[0]}`) ?? "");
    return withOptions(section, command, path, { dataFlags, group });
  });
  return [...sections.slice(0, first), ...current, ...sections.slice(last + 1)].join("");
}

function commandsUnder(parent, path) {
  return parent.commands
    .filter((command) => command.name() !== "help")
    .flatMap((command) => {
      const here = [...path, command.name()];
      return [{ path: here, command }, ...commandsUnder(command, here)];
    });
}

function withOptions(section, command, path, { dataFlags, group }) {
  const own = command.options.map(({ flags }) => flags);
  const usesData = path.length > 1 && own.includes(dataFlags[0]);
  const shared = usesData ? group.filter((flags) => own.includes(flags)) : [];
  const common = usesData ? [...dataFlags, ...shared] : [];
  const rows = rowsIn(section);
  const table = command.options
    .filter(({ flags }) => !common.includes(flags))
    .map((option) => rows.get(option.flags) ?? rowOf(option));
  const withTable = replaceTable(section, table);
  return usesData ? replaceShared(withTable, shared, path[0]) : withTable;
}

/** Replaces the table of options, removes it if there are none, or adds it after the introduction. */
function replaceTable(section, rows) {
  const text = rows.length === 0 ? "" : `${[...tableHead, ...rows].join("\n")}\n\n`;
  const table = /^\| option \|.*\n\|[-| ]+\|\n(?:\|.*\n)*\n?/m;
  if (table.test(section)) return section.replace(table, (found) => (sameRows(found, rows) ? found : text));
  if (rows.length === 0) return section;
  const end = section.search(sharedLine);
  return end === -1 ? section + text : section.slice(0, end) + text + section.slice(end);
}

function sameRows(table, rows) {
  return table.trimEnd().split("\n").slice(2).join("\n") === rows.join("\n");
}

const sharedLine = /^(?:Shared options: |It also accepts the options for ).*\n/m;

function replaceShared(section, shared, group) {
  const names = shared.map((flags) => `\`${/--[a-z-]+/.exec(flags)?.[0]}\``).join(", ");
  const data = "[where the data is](#where-the-data-is)";
  const line =
    shared.length === 0
      ? `It also accepts the options for ${data}.\n`
      : `Shared options: ${names} ([described here](#tablekeep-${group})), and ${data}.\n`;
  return sharedLine.test(section) ? section.replace(sharedLine, () => line) : `${section}${line}\n`;
}

function rowOf({ flags, description, defaultValue, mandatory }) {
  const [, text = description, fallback = ""] = /^(.*?)(?: \(default: ([^()]*)\))?$/s.exec(description) ?? [];
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`.replaceAll("|", "&#124;");
  const isShown = defaultValue !== undefined && defaultValue !== "" && defaultValue !== false;
  const value = mandatory ? "required" : isShown ? `\`${defaultValue}\`` : fallback;
  return `| \`${flags}\` | ${sentence} | ${value} |`;
}

function rowsIn(section) {
  const rows = section.split("\n").filter((line) => line.startsWith("| `-"));
  return new Map(rows.map((row) => [/^\| `([^`]+)`/.exec(row)?.[1] ?? "", row]));
}

function flagsIn(section) {
  return [...rowsIn(section).keys()];
}

function headingOf(section) {
  return section.slice(0, section.indexOf("\n"));
}
