import { expect, test } from "vitest";
import { mailSchemas } from "../src/server/mail/api/message-json.ts";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";
import { servedRoutes } from "./served-endpoints.ts";
import { operationName, parametersOf } from "./served-operations.ts";

const pages = [
  ["docs/reference/http-mail.md", "/api/v3/mail"],
  ["docs/reference/http-journals.md", "/api/v3/journals"],
  ["docs/reference/http-tables.md", "/api/v3/(?:tables|partiql|undo)"],
] as const;
const routes = await servedRoutes({ memory: true, smtp: false, mqtt: false });
const operationsOf = (path: string) => tableRows(sectionOf(readDocs(path), "## Operations"));

test.each(pages)("%s lists every operation with its query, and no other", (page, root) => {
  const served = routes
    .filter(({ path }) => new RegExp(`^${root}(?:/|$)`).test(path))
    .map((route) => {
      const query = parametersOf(route, "query").map(({ name }) => name);
      return [operationName(route), query.join(", ")];
    });
  const listed = operationsOf(page).filter(([operation]) => /^[A-Z]+ \//.test(operation ?? ""));
  expect(Object.fromEntries(listed.map(([operation, query]) => [operation, query]))).toEqual(
    Object.fromEntries(served),
  );
  expect(listed).toHaveLength(served.length);
});

test("docs/reference/http-mail.md lists every field of a summary, and no other", () => {
  const listed = operationsOf("docs/reference/http-mail.md").filter(([name]) =>
    /^[a-z]+(, [a-z]+)*$/.test(name ?? ""),
  );
  const fields = listed.flatMap(([names = ""]) => names.split(", "));
  expect(mailSchemas).toEqual({
    MailSummary: expect.objectContaining({
      properties: Object.fromEntries(fields.map((name) => [name, expect.anything()])),
    }),
  });
});
