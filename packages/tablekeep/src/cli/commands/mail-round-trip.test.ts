import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { jsonLines, mailStore } from "../../../test/mail-store.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

/** A store whose imports return their summary. */
function store() {
  const { import: load, ...rest } = mailStore();
  return {
    ...rest,
    import: async (...paths: string[]) => jsonLines((await load(...paths)).stdout).at(-1) as object,
  };
}

/** The names and bytes of all files, or of one. */
function contentOf(path: string): Record<string, string> {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map((each) => join(each.parentPath, each.name))
    : [path];
  return Object.fromEntries(files.map((file) => [relative(path, file), readFileSync(file, "latin1")]));
}

const entry = (subject: string, ...body: string[]) => [
  "From ann@example.org Mon Jan  1 00:00:07 2024",
  "To: ben@example.org",
  `Subject: ${subject}`,
  "",
  ...body,
  "",
];
const files: Readonly<Record<string, string | Buffer>> = {
  "a.mbox": [...entry("z", "one"), ...entry("same"), ...entry("same"), ...entry("a", "", "")].join("\n"),
  "empty-body.eml": "Subject: no body\r\n\r\n",
  "bare.eml": "Subject: bare\n\nbare line ends\nand one \r alone\r\r\n\n\n",
  "no-end.eml":
    "Subject: no end\r\nDate: Tue, 02 Jan 2024 03:04:05 +0100 (CET)\r\n\r\nFrom here\r\n>From there",
  "binary.eml": Buffer.concat([Buffer.from("Subject: \xff\r\n\r\n"), Buffer.from([0, 1, 13, 255, 10, 46])]),
  "mailhog@example": "HELO:<h>\r\nFROM:<>\r\nTO:<zwölf@example.org>\r\n\r\nFrom x\r\nSubject: like mbox\r\n",
};

/** Times of messages; those in an mbox file have no milliseconds. */
const timesIn = async ({ list }: ReturnType<typeof store>, stepMs: number) =>
  (await list()).map(({ created }) => Math.floor(Date.parse(created) / stepMs) * stepMs);

test.each(["eml", "maildir", "mailhog", "mboxrd", "mboxo"])(
  "an export as %s, imported into an empty store and exported again, is the same to the byte",
  async (format) => {
    const [source, target] = [store(), store()];
    const folder = join(tempFolder(), "mails");
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    expect(await source.import(folder)).toEqual({ imported: 9, present: 0, failed: 0 });
    const [first, second] = [join(source.data, "..", "first"), join(target.data, "..", "second")];
    await source.run("export", "-o", first, "--format", format);
    const variant = format === "mboxo" ? ["--mbox", "mboxo"] : [];
    for (const imported of [9, 0])
      expect(await target.import(first, ...variant)).toEqual({ imported, present: 9 - imported, failed: 0 });
    await target.run("export", "-o", second, "--format", format);
    expect(contentOf(second)).toEqual(contentOf(first));
    const isMbox = format.startsWith("mbox");
    expect(await timesIn(target, 1)).toEqual(await timesIn(source, isMbox ? 1000 : 1));
    expect(await timesIn(source, 1000)).toContain(Date.parse("2024-01-02T02:04:05Z"));
    if (isMbox) return;
    const idsIn = async ({ list }: ReturnType<typeof store>) => (await list()).map(({ id }) => id);
    expect(await idsIn(target)).toEqual(await idsIn(source));
  },
);
