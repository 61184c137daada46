import { expect, test } from "vitest";
import { journalOpenApi } from "../src/server/journal/journal-openapi.ts";
import { mailOpenApi } from "../src/server/mail/api/mail-openapi.ts";
import { tablesOpenApi } from "../src/server/tables/tables-openapi.ts";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";

const pages = [
  { path: "docs/reference/http-mail.md", openApi: mailOpenApi },
  { path: "docs/reference/http-journals.md", openApi: journalOpenApi },
  { path: "docs/reference/http-tables.md", openApi: tablesOpenApi },
];
const operationsOf = (path: string) => tableRows(sectionOf(readDocs(path), "## Operations"));

interface Parameter {
  readonly name: string;
  readonly in: string;
}

test.each(pages)("$path lists every operation with its query, and no other", ({ path: page, openApi }) => {
  const described = Object.entries(openApi.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [] }]) => {
      const query = (parameters as readonly Parameter[]).filter((parameter) => parameter.in === "query");
      return [`${method.toUpperCase()} ${path}`, query.map(({ name }) => name).join(", ")];
    }),
  );
  const listed = operationsOf(page).filter(([operation]) => /^[A-Z]+ \//.test(operation ?? ""));
  expect(Object.fromEntries(listed.map(([operation, query]) => [operation, query]))).toEqual(
    Object.fromEntries(described),
  );
  expect(listed).toHaveLength(described.length);
});

test("docs/reference/http-mail.md lists every field of a summary, and no other", () => {
  const listed = operationsOf("docs/reference/http-mail.md").filter(([name]) =>
    /^[a-z]+(, [a-z]+)*$/.test(name ?? ""),
  );
  const fields = listed.flatMap(([names = ""]) => names.split(", "));
  expect(mailOpenApi.schemas).toEqual({
    MailSummary: expect.objectContaining({
      properties: Object.fromEntries(fields.map((name) => [name, expect.anything()])),
    }),
  });
});
