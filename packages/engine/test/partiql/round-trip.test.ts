import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindCondition } from "../../src/partiql/bind-condition.ts";
import { bindUpdate } from "../../src/partiql/bind-update.ts";
import { bindItem } from "../../src/partiql/bind-value.ts";
import { parseStatement } from "../../src/partiql/parse-statement.ts";
import type { InsertStatement, SelectStatement, UpdateStatement } from "../../src/partiql/statement.ts";
import { StatementPrinter } from "./print-statement.ts";
import { attributes, conditions, paths, updates } from "./random-trees.ts";

const runs = { numRuns: 1_000 };

describe("a tree printed as PartiQL is parsed back to itself", () => {
  test("conditions", () => {
    fc.assert(
      fc.property(conditions, (condition) => {
        const printer = new StatementPrinter();
        const text = `SELECT * FROM things WHERE ${printer.condition(condition)}`;
        const { statement, parameters } = parseStatement(text);
        expect(parameters).toBe(printer.parameters.length);
        const { where } = statement as SelectStatement;
        expect(where && bindCondition(where, printer.parameters)).toStrictEqual(condition);
      }),
      runs,
    );
  });

  test("updates", () => {
    fc.assert(
      fc.property(updates, (update) => {
        const printer = new StatementPrinter();
        const { statement } = parseStatement(`UPDATE things ${printer.update(update)} WHERE pk = 'p'`);
        expect(bindUpdate(statement as UpdateStatement, printer.parameters)).toStrictEqual(update);
      }),
      runs,
    );
  });

  test("items", () => {
    fc.assert(
      fc.property(attributes, (item) => {
        const printer = new StatementPrinter();
        const { statement } = parseStatement(`INSERT INTO things VALUE ${printer.struct(item)}`);
        expect(bindItem((statement as InsertStatement).item, printer.parameters)).toStrictEqual(item);
      }),
      runs,
    );
  });

  test("selections", () => {
    fc.assert(
      fc.property(paths, (path) => {
        const { statement } = parseStatement(`SELECT ${new StatementPrinter().path(path)} FROM things`);
        expect((statement as SelectStatement).selection?.map((each) => each.path)).toStrictEqual([path]);
      }),
      runs,
    );
  });
});
