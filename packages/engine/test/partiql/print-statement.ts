import type { Condition, Operand, Path, SetValue, Update } from "../../src/expression/syntax-tree.ts";
import { isKeyword } from "../../src/partiql/statement-tokens.ts";
import type { WireValue } from "../../src/values/wire-value.ts";

/** Prints trees as PartiQL. Values without a literal become parameters. */
export class StatementPrinter {
  readonly parameters: WireValue[] = [];

  name(name: string): string {
    const plain = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) && !isKeyword(name);
    return plain ? name : `"${name.replaceAll('"', '""')}"`;
  }

  path([name, ...parts]: Path): string {
    const rest = parts.map((part) => (typeof part === "number" ? `[${part}]` : `.${this.name(part)}`));
    return this.name(name) + rest.join("");
  }

  value(value: WireValue): string {
    if (!hasLiteral(value)) {
      this.parameters.push(value);
      return "?";
    }
    if ("S" in value) return text(value.S);
    if ("N" in value) return value.N;
    if ("BOOL" in value) return value.BOOL ? "true" : "FALSE";
    if ("NULL" in value) return "null";
    if ("SS" in value) return `<<${value.SS.map(text).join(", ")}>>`;
    if ("NS" in value) return `<<${value.NS.join(", ")}>>`;
    if ("L" in value) return `[${value.L.map((element) => this.value(element)).join(", ")}]`;
    if ("M" in value) return this.struct(value.M);
    throw new Error("a value without a literal");
  }

  struct(map: { readonly [name: string]: WireValue }): string {
    const members = Object.entries(map).map(([name, value]) => `${text(name)}: ${this.value(value)}`);
    return `{${members.join(", ")}}`;
  }

  condition(condition: Condition): string {
    switch (condition.kind) {
      case "and":
      case "or":
        return `(${this.condition(condition.left)} ${condition.kind} ${this.condition(condition.right)})`;
      case "not":
        return `NOT ${this.condition(condition.condition)}`;
      case "compare":
        return `${this.operand(condition.left)} ${condition.comparator} ${this.operand(condition.right)}`;
      case "between":
        return `${this.operand(condition.operand)} BETWEEN ${this.operand(condition.low)} AND ${this.operand(condition.high)}`;
      case "in":
        return `${this.operand(condition.operand)} IN [${condition.list.map((each) => this.operand(each)).join(", ")}]`;
      case "attribute_exists":
        return `attribute_exists(${this.path(condition.path)})`;
      case "attribute_not_exists":
        return `${this.path(condition.path)} IS MISSING`;
      case "attribute_type":
        return `attribute_type(${this.operand(condition.operand)}, ${this.operand(condition.type)})`;
      case "begins_with":
        return `begins_with(${this.operand(condition.operand)}, ${this.operand(condition.prefix)})`;
      case "contains":
        return `Contains(${this.operand(condition.operand)}, ${this.operand(condition.sought)})`;
    }
  }

  operand(operand: Operand): string {
    if (operand.kind === "value") return this.value(operand.value);
    return operand.kind === "path" ? this.path(operand.path) : `size(${this.path(operand.path)})`;
  }

  update(update: Update): string {
    const setChange = (name: string) => (change: { path: Path; value: WireValue }) =>
      `SET ${this.path(change.path)} = ${name}(${this.path(change.path)}, ${this.value(change.value)})`;
    return [
      ...update.set.map(({ path, value }) => `SET ${this.path(path)} = ${this.setValue(value)}`),
      ...update.add.map(setChange("set_add")),
      ...update.delete.map(setChange("SET_DELETE")),
      ...update.remove.map((path) => `REMOVE ${this.path(path)}`),
    ].join(" ");
  }

  setValue(value: SetValue): string {
    switch (value.kind) {
      case "value":
        return this.value(value.value);
      case "path":
        return this.path(value.path);
      case "if_not_exists":
        return `if_not_exists(${this.path(value.path)}, ${this.setValue(value.otherwise)})`;
      case "list_append":
        return `list_append(${this.setValue(value.left)}, ${this.setValue(value.right)})`;
      case "plus":
      case "minus":
        return `(${this.setValue(value.left)} ${value.kind === "plus" ? "+" : "-"} ${this.setValue(value.right)})`;
    }
  }
}

function text(content: string): string {
  return `'${content.replaceAll("'", "''")}'`;
}

/** Bytes are only possible as parameters, and parameters are only possible as whole values. */
function hasLiteral(value: WireValue): boolean {
  if ("B" in value || "BS" in value) return false;
  if ("L" in value) return value.L.every(hasLiteral);
  return "M" in value ? Object.values(value.M).every(hasLiteral) : true;
}
