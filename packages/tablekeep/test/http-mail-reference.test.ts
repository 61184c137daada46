import { expect, test } from "vitest";
import { mailOpenApi } from "../src/server/mail/api/mail-openapi.ts";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";

const rows = tableRows(sectionOf(readDocs("docs/reference/http-mail.md"), "## Operations"));

interface Parameter {
  readonly name: string;
  readonly in: string;
}

test("docs/reference/http-mail.md lists every operation with its query, and no other", () => {
  const described = Object.entries(mailOpenApi.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [] }]) => {
      const query = (parameters as readonly Parameter[]).filter((parameter) => parameter.in === "query");
      return [`${method.toUpperCase()} ${path}`, query.map(({ name }) => name).join(", ")];
    }),
  );
  const listed = rows.filter(([operation]) => /^[A-Z]+ \//.test(operation ?? ""));
  expect(Object.fromEntries(listed.map(([operation, query]) => [operation, query]))).toEqual(
    Object.fromEntries(described),
  );
  expect(listed).toHaveLength(described.length);
});

test("docs/reference/http-mail.md lists every field of a summary, and no other", () => {
  const listed = rows.filter(([name]) => /^[a-z]+(, [a-z]+)*$/.test(name ?? ""));
  const fields = listed.flatMap(([names = ""]) => names.split(", "));
  expect(mailOpenApi.schemas).toEqual({
    MailSummary: expect.objectContaining({
      properties: Object.fromEntries(fields.map((name) => [name, expect.anything()])),
    }),
  });
});
