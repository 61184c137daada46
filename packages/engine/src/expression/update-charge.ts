import type { WireValue } from "../values/wire-value.ts";
import type { Path, PathPart, SetValue, Update } from "./syntax-tree.ts";

/*
 * UpdateItem limits what its expression writes, beside the size of the item that results. Source: the Parity Suite of
 * 2026-10-09, `itemSizeBySurface`, measured to the byte: 22 regions, us-east-1 among them, charge the expression like this;
 * ten regions do not.
 */
const base = 3;
const written = 19;
const removed = 1;
const pathOperand = 1;
const operandElement = 14;
const targetElement = 4;
const functions = { plus: 34, minus: 37, list_append: 37, if_not_exists: 39 } as const;

/** Returns the bytes that UpdateItem charges for an expression, given the size of each value. */
export function updateCharge(update: Update, sizeOf: (value: WireValue) => number): number {
  let bytes = base;
  for (const { path, value } of update.set) bytes += written + target(path) + operand(value);
  for (const { path, value } of update.add) bytes += written + target(path) + sizeOf(value);
  for (const path of update.remove) bytes += removed + target(path);
  for (const { path } of update.delete) bytes += removed + target(path);
  return bytes;

  function operand(value: SetValue): number {
    switch (value.kind) {
      case "value":
        return sizeOf(value.value);
      case "path":
        return operandPath(value.path);
      case "if_not_exists":
        return functions.if_not_exists + operandPath(value.path) + operand(value.otherwise);
      default:
        return functions[value.kind] + operand(value.left) + operand(value.right);
    }
  }
}

function target([name, ...rest]: Path): number {
  return element(name) + rest.reduce<number>((bytes, part) => bytes + targetElement + element(part), 0);
}

function operandPath(path: Path): number {
  return path.reduce<number>((bytes, part) => bytes + operandElement + element(part), pathOperand);
}

/** A name counts with its bytes, an index with its digits. */
function element(part: PathPart): number {
  return Buffer.byteLength(String(part));
}
