import { describe, expect, test } from "vitest";
import { runMain } from "../../test/run-main.ts";
import { readVersion } from "../package/package-info.ts";

describe("the command line", () => {
  test("--version prints the version of the package and nothing else", async () => {
    expect(await runMain(["--version"])).toEqual({ code: 0, stdout: `${readVersion()}\n`, stderr: "" });
  });

  test("--help goes to stdout and succeeds", async () => {
    const { code, stdout, stderr } = await runMain(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: tablekeep /);
  });

  test.each([
    [["mail", "put"], "Usage: tablekeep mail put "],
    [["mail"], "Usage: tablekeep mail "],
    [["serve"], "Usage: tablekeep serve "],
    [["sendmail", "ann@example.org"], "Usage: tablekeep sendmail "],
  ])("help and %j is the help of that command", async (words, usage) => {
    const { code, stdout, stderr } = await runMain(["help", ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(usage);
    expect(stdout).toEqual((await runMain([...words, "--help"])).stdout);
  });

  test.each([[[]], [["mail"]]])("%j shows the help on stderr and exits with 2", async (argv) => {
    const { code, stdout, stderr } = await runMain(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /^Usage: tablekeep [\s\S]*\nerror: missing command: see the list above \[CLI_COMMAND_MISSING\]\n$/,
    );
  });

  test.each([
    [["serv"], "unknown command 'serv': did you mean serve? [CLI_COMMAND_UNKNOWN]"],
    [["xyzzy"], "unknown command 'xyzzy': see --help [CLI_COMMAND_UNKNOWN]"],
    [["help", "serv"], "unknown command 'serv': did you mean serve? [CLI_COMMAND_UNKNOWN]"],
    [["help", "nothing-like-it"], "unknown command 'nothing-like-it': see --help [CLI_COMMAND_UNKNOWN]"],
    [["help", "mail", "lst"], "unknown command 'lst': did you mean list? [CLI_COMMAND_UNKNOWN]"],
    [["mail", "lst", "--help"], "unknown command 'lst': did you mean list? [CLI_COMMAND_UNKNOWN]"],
    [["mail", "help", "lst"], "unknown command 'lst': did you mean list? [CLI_COMMAND_UNKNOWN]"],
    [["mail", "show", "1"], "unknown command 'show': did you mean get? [CLI_COMMAND_UNKNOWN]"],
    [["help", "journal", "tail"], "unknown command 'tail': did you mean watch? [CLI_COMMAND_UNKNOWN]"],
    [["--quiet", "events"], "unknown command 'events': did you mean journal? [CLI_COMMAND_UNKNOWN]"],
    [["shadow", "group", "rm"], "unknown command 'rm': did you mean delete? [CLI_COMMAND_UNKNOWN]"],
    [["feed", "put", "1"], /^no command 'feed put': .*"tablekeep journal put" \[CLI_COMMAND_UNKNOWN\]$/],
    [["feed", "delete"], /"tablekeep feed rebuild".*\[CLI_COMMAND_UNKNOWN\]$/],
    [["feed", "export", "--help"], /"tablekeep feed list --json" \[CLI_COMMAND_UNKNOWN\]$/],
    [["feed", "help", "import"], /"tablekeep feed run --once" \[CLI_COMMAND_UNKNOWN\]$/],
    [["projection", "put"], /"tablekeep projection rewind" \[CLI_COMMAND_UNKNOWN\]$/],
    [["projection", "export"], /"tablekeep table export".*\[CLI_COMMAND_UNKNOWN\]$/],
    [["help", "projection", "import"], /"tablekeep table import".*\[CLI_COMMAND_UNKNOWN\]$/],
    [["xyzzy", "-h"], "unknown command 'xyzzy': see --help [CLI_COMMAND_UNKNOWN]"],
    [["serve", "--dta", "x"], "unknown option '--dta': did you mean --data? [CLI_OPTION_UNKNOWN]"],
    [["serve", "--data"], "option '--data <folder>' argument missing: see --help [CLI_OPTION_MISSING]"],
    [["serve", "too", "many"], /^too many arguments for 'serve'.*\[CLI_ARGUMENT_UNEXPECTED\]$/],
    [["serve", "--http-port", "80x"], /argument '80x' is invalid.*\[CLI_VALUE_INVALID\]$/],
    [["serve", "--http-port", "65536"], /\[CLI_VALUE_INVALID\]$/],
    [
      ["projection", "switch", "totals", "x"],
      "argument 'version' value 'x' is invalid: expected an integer of at least 1 [CLI_VALUE_INVALID]",
    ],
    [["serve", "--http-port="], /\[CLI_VALUE_INVALID\]$/],
    [["serve", "--da\nta\u001b[31m"], /^unknown option '--da/],
  ])("%j is one line on stderr and exit code 2", async (argv, message) => {
    const { code, stdout, stderr } = await runMain(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const [line = "", ...rest] = stderr.split("\n");
    expect(rest).toEqual([""]);
    expect(line.startsWith("error: ")).toBe(true);
    expect(line).not.toMatch(/\p{Cc}/u);
    if (typeof message === "string") expect(line).toBe(`error: ${message}`);
    else expect(line.slice("error: ".length)).toMatch(message);
  });

  test("--json turns an error into one JSON document, at any position of the flag", async () => {
    for (const argv of [
      ["--json", "serv"],
      ["serv", "--json"],
    ]) {
      const { code, stderr } = await runMain(argv);
      expect(code).toBe(2);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: "CLI_COMMAND_UNKNOWN", kind: "invalid" } });
    }
  });

  test.each([
    [["--debug", "serv"], {}],
    [["serv"], { TABLEKEEP_DEBUG: "1" }],
  ])("%j with %j shows the stack below the line", async (argv, env) => {
    const { code, stderr } = await runMain(argv, env);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .*\n.*\n {4}at [\s\S]*caused by: /);
  });

  test("TABLEKEEP_DEBUG=0 is off", async () => {
    expect((await runMain(["serv"], { TABLEKEEP_DEBUG: "0" })).stderr).not.toContain("    at ");
  });
});
