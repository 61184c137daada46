import { ClientError, clientErrorKinds } from "@tablekeep/client";
import { DynamoError, dynamoErrorCode, dynamoExceptionNames } from "@tablekeep/core";
import { EngineError, engineErrorKinds } from "@tablekeep/engine";
import { EntityError } from "@tablekeep/entity";
import { FeedError, feedErrorKinds } from "@tablekeep/feed";
import { JournalError, journalErrorKinds } from "@tablekeep/journal";
import { MailError, mailErrorKinds } from "@tablekeep/mail";
import { ShadowError, shadowErrorKinds } from "@tablekeep/shadow";
import { TestkitError, testkitErrorKinds } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { CliError, cliErrorKinds } from "../src/cli/frame/cli-error.ts";
import { exitCodes } from "../src/cli/frame/failures.ts";
import { ReleaseError, releaseErrorKinds } from "../src/server/release/relays.ts";
import { ServerError, serverErrorKinds } from "../src/server/server-error.ts";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";

const page = readDocs("docs/reference/errors.md");
const documented = (heading: string) => {
  const rows = tableRows(sectionOf(page, heading));
  expect(rows.every(([, , advice]) => advice !== undefined && advice !== "")).toBe(true);
  const entries = rows.map(([code, kind]) => [code, kind] as const);
  expect(new Set(entries.map(([code]) => code)).size).toBe(entries.length);
  return Object.fromEntries(entries);
};

test.each([
  ["ClientError", new ClientError("CLIENT_CLOSED", "closed", {})],
  ["DynamoError", new DynamoError({ exception: "ThrottlingException", serviceMessage: "slow down" })],
  ["EngineError", new EngineError("ENGINE_CLOSED", "closed", {})],
  ["EntityError", new EntityError("ENTITY_OPTION_INVALID", "no", { option: "a", reason: "b" })],
  ["FeedError", new FeedError("FEED_OPTION_INVALID", "no", { option: "a", reason: "b" })],
  ["JournalError", new JournalError("JOURNAL_OPTION_INVALID", "no", { option: "a", reason: "b" })],
  ["MailError", new MailError("MAIL_OPTION_INVALID", "no", { option: "a", reason: "b" })],
  ["ShadowError", new ShadowError("SHADOW_OPTION_INVALID", "no", { option: "a", reason: "b" })],
  ["TestkitError", new TestkitError("TESTKIT_OPTION_INVALID", "no", { option: "a", reason: "b" })],
  ["CliError", new CliError("CLI_COMMAND_MISSING", "no")],
  ["ReleaseError", new ReleaseError("RELEASE_RELAY_UNKNOWN", "no", {} as never)],
  ["ServerError", new ServerError("SERVER_OPTION_INVALID", "no", { option: "a", reason: "b" })],
])("an error is named after its class, %s, and its name can be assigned", (name, error) => {
  expect(error.name).toBe(name);
  expect(String(error)).toBe(`${name}: ${error.message}`);
  expect(error.stack).toMatch(new RegExp(`^${name}: `));
  error.name = "Renamed";
  expect(error.name).toBe("Renamed");
});

describe("docs/reference/errors.md lists every code with its kind, and no other", () => {
  test("of DynamoDB's errors", () => {
    const codes = dynamoExceptionNames.map((exception) => {
      const { kind } = new DynamoError({ exception, serviceMessage: "" });
      return [dynamoErrorCode(exception), kind] as const;
    });
    expect(documented("## DynamoDB's errors")).toEqual(Object.fromEntries(codes));
  });

  test("of the client", () => {
    expect(documented("## @tablekeep/client")).toEqual(clientErrorKinds);
  });

  test("of the engine", () => {
    expect(documented("## @tablekeep/engine")).toEqual(engineErrorKinds);
  });

  test("of the journal", () => {
    expect(documented("## @tablekeep/journal")).toEqual(journalErrorKinds);
  });

  test("of feeds", () => {
    expect(documented("## @tablekeep/feed")).toEqual(feedErrorKinds);
  });

  test("of mail stores", () => {
    expect(documented("## @tablekeep/mail")).toEqual(mailErrorKinds);
  });

  test("of shadows", () => {
    expect(documented("## @tablekeep/shadow")).toEqual(shadowErrorKinds);
  });

  test("of the testkit", () => {
    expect(documented("## @tablekeep/testkit")).toEqual(testkitErrorKinds);
  });

  test("of the program", () => {
    expect(documented("## The program")).toEqual({
      ...cliErrorKinds,
      ...serverErrorKinds,
      ...releaseErrorKinds,
    });
  });

  test("and every kind", () => {
    const kinds = tableRows(page.slice(0, page.indexOf("## "))).map(([kind]) => kind);
    const ofErrors = Object.keys(exitCodes).filter((kind) => kind !== "unknown");
    expect(kinds.toSorted()).toEqual(ofErrors.toSorted());
  });
});
