import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { type ServedMoment, serveFailing, serveFor } from "../../../test/serve-on-endpoint.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

interface Listed {
  readonly messages: readonly {
    readonly subject: string;
    readonly created: string;
    readonly expires: string;
  }[];
}

async function send({ http }: ServedMoment, subject: string, inbox = ""): Promise<void> {
  const at = `${http}${inbox}api/v3/mail/messages?to=a@b.example`;
  const { status } = await fetch(at, { method: "POST", body: `subject: ${subject}\r\n\r\nx` });
  expect(status).toBe(201);
}

async function listed({ http }: ServedMoment, inbox = ""): Promise<Listed["messages"]> {
  const answer = await fetch(`${http}${inbox}api/v3/mail/messages`);
  return ((await answer.json()) as Listed).messages;
}

const subjects = async (at: ServedMoment, inbox?: string) =>
  (await listed(at, inbox)).map(({ subject }) => subject);

const daysOf = (messages: Listed["messages"]) =>
  messages.map(({ created, expires }) =>
    Math.round((Date.parse(expires) - Date.parse(created)) / 86_400_000),
  );

/** A file whose section and settings differ. */
function configFile(settings: object): string {
  const path = `${tempFolder()}.json`;
  writeFileSync(path, JSON.stringify({ dynamodb: false, mail: { maxMessages: 4, ttlDays: 5 }, ...settings }));
  return path;
}

interface Given {
  readonly by: string;
  readonly flags: readonly string[];
  readonly env: Record<string, string>;
  readonly settings: object;
}

test.each<Given>([
  { by: "flags", flags: ["--mail-max", "2", "--mail-max-age", "3"], env: {}, settings: {} },
  {
    by: "variables",
    flags: [],
    env: { TABLEKEEP_MAIL_MAX: "2", TABLEKEEP_MAIL_MAX_AGE: "3" },
    settings: {},
  },
  { by: "the file", flags: [], env: {}, settings: { mailMax: 2, mailMaxAge: 3 } },
])("limits set by $by apply to every inbox, before those of the section mail", async (given) => {
  const flags = ["--memory", "--config", configFile(given.settings), ...given.flags];
  const check = async (at: ServedMoment) => {
    await fetch(`${at.http}api/v3/inboxes/branch`, { method: "PUT", body: "{}" });
    for (const inbox of ["", "inbox/branch/"]) {
      for (const subject of ["one", "two", "three", "four"]) await send(at, subject, inbox);
      await expect.poll(() => subjects(at, inbox)).toEqual(["four", "three"]);
      expect(daysOf(await listed(at, inbox))).toEqual([3, 3]);
    }
  };
  await serveFor(flags, check, given.env);
});

test("without them, the section mail decides", async () => {
  await serveFor(["--memory", "--config", configFile({})], async (at) => {
    for (const subject of ["one", "two", "three", "four", "five"]) await send(at, subject);
    await expect.poll(() => subjects(at)).toEqual(["five", "four", "three", "two"]);
    expect(daysOf(await listed(at))).toEqual([5, 5, 5, 5]);
  });
});

test("commands that store messages use them as well", async () => {
  const data = tempFolder();
  const env = { TABLEKEEP_MAIL_MAX: "1", TABLEKEEP_MAIL_MAX_AGE: "9" };
  for (const subject of ["one", "two"]) {
    const flags = ["--data", data, "--create", "--to", "a@b.example", "--subject", subject];
    expect(await runMain(["mail", "put", ...flags], env)).toMatchObject({ code: 0 });
  }
  await serveFor(["--data", data, "--no-dynamodb"], async (at) => {
    expect(await subjects(at)).toEqual(["two"]);
    expect(daysOf(await listed(at))).toEqual([9]);
  });
});

test.each([
  ["--mail-max", "0"],
  ["--mail-max", "1.5"],
  ["--mail-max", "many"],
  ["--mail-max-age", "0"],
  ["--mail-max-age", "0.5"],
  ["--mail-max-age", "3651"],
])("%s %s is rejected in one line", async (flag, value) => {
  const { code, stderr } = await serveFailing(["--memory", flag, value]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: [^\n]*\[CLI_VALUE_INVALID\]\n$/);
  expect(stderr).toContain(flag);
});
