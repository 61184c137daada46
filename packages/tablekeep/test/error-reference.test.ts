import { clientErrorKinds } from "@tablekeep/client";
import { DynamoError, dynamoErrorCode, dynamoExceptionNames } from "@tablekeep/core";
import { engineErrorKinds } from "@tablekeep/engine";
import { journalErrorKinds } from "@tablekeep/journal";
import { mailErrorKinds } from "@tablekeep/mail";
import { shadowErrorKinds } from "@tablekeep/shadow";
import { testkitErrorKinds } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { cliErrorKinds } from "../src/cli/cli-error.ts";
import { exitCodes } from "../src/cli/exit-codes.ts";
import { releaseErrorKinds } from "../src/server/release/release-error.ts";
import { serverErrorKinds } from "../src/server/server-error.ts";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";

const page = readDocs("docs/reference/errors.md");
const documented = (heading: string) => {
  const rows = tableRows(sectionOf(page, heading));
  expect(rows.every(([, , advice]) => advice !== undefined && advice !== "")).toBe(true);
  const entries = rows.map(([code, kind]) => [code, kind] as const);
  expect(new Set(entries.map(([code]) => code)).size).toBe(entries.length);
  return Object.fromEntries(entries);
};

describe("docs/reference/errors.md lists every code with its kind, and no other", () => {
  test("of DynamoDB's answers", () => {
    const codes = dynamoExceptionNames.map((exception) => {
      const { kind } = new DynamoError({ exception, serviceMessage: "" });
      return [dynamoErrorCode(exception), kind] as const;
    });
    expect(documented("## DynamoDB's answers")).toEqual(Object.fromEntries(codes));
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
    const own = new Set(["unknown", "internal"]);
    expect(kinds.toSorted()).toEqual(
      Object.keys(exitCodes)
        .filter((kind) => !own.has(kind))
        .toSorted(),
    );
  });
});
