import { invalid } from "../values/dynamo-errors.ts";
import { Binding, type Template } from "./binding.ts";
import { attributesToGet, attributeUpdates, checkIndexable, legacyConditions } from "./legacy-parameters.ts";
import { parseCondition } from "./parse-condition.ts";
import { parseProjection } from "./parse-path.ts";
import { parseUpdate } from "./parse-update.ts";
import type { Condition, ProjectedPaths, Update } from "./syntax-tree.ts";
import { ExpressionError } from "./tokens.ts";

/** The members of a request that contain expressions, their placeholders, or their older counterparts. */
export interface ExpressionParameters {
  readonly ConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: unknown;
  readonly ExpressionAttributeValues?: unknown;
  readonly ConditionalOperator?: string;
  readonly Expected?: unknown;
  readonly AttributeUpdates?: unknown;
  readonly KeyConditions?: unknown;
  readonly QueryFilter?: unknown;
  readonly ScanFilter?: unknown;
  readonly AttributesToGet?: unknown;
}

/** The parsed expressions of a request. */
export interface RequestExpressions {
  readonly condition?: Condition;
  readonly filter?: Condition;
  readonly keyCondition?: Condition;
  readonly update?: Update;
  readonly projection?: ProjectedPaths;
  /** No value of an expression is larger. */
  readonly maxValueBytes?: number;
}

type ExpressionName =
  | "ConditionExpression"
  | "FilterExpression"
  | "KeyConditionExpression"
  | "UpdateExpression"
  | "ProjectionExpression";
type LegacyName =
  | "AttributesToGet"
  | "QueryFilter"
  | "ScanFilter"
  | "KeyConditions"
  | "AttributeUpdates"
  | "Expected"
  | "ConditionalOperator";

/**
 * The parameters that a kind of request has, in the order of DynamoDB's messages. Others of these names are ignored.
 */
interface RequestKind {
  readonly expressions: readonly ExpressionName[];
  readonly legacy: readonly LegacyName[];
  /**
   * AWS checks values in one of two layers. The older one names the placeholder of an invalid value, and the
   * expressions that are missing beside one; the newer one names neither. Source: the Parity Suite of 2026-10-09,
   * `valueLayers`.
   */
  readonly layer: "newer" | "older";
}

type RequestKindName =
  | "read"
  | "transactionRead"
  | "write"
  | "update"
  | "transactionWrite"
  | "transactionUpdate"
  | "query"
  | "scan";

const kinds: Readonly<Record<RequestKindName, RequestKind>> = {
  read: { expressions: ["ProjectionExpression"], legacy: ["AttributesToGet"], layer: "newer" },
  transactionRead: { expressions: ["ProjectionExpression"], legacy: [], layer: "older" },
  write: {
    expressions: ["ConditionExpression"],
    legacy: ["Expected", "ConditionalOperator"],
    layer: "newer",
  },
  update: {
    expressions: ["UpdateExpression", "ConditionExpression"],
    legacy: ["AttributeUpdates", "Expected", "ConditionalOperator"],
    layer: "newer",
  },
  transactionWrite: { expressions: ["ConditionExpression"], legacy: [], layer: "older" },
  transactionUpdate: {
    expressions: ["UpdateExpression", "ConditionExpression"],
    legacy: [],
    layer: "older",
  },
  query: {
    expressions: ["ProjectionExpression", "FilterExpression", "KeyConditionExpression"],
    legacy: ["AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"],
    layer: "newer",
  },
  scan: {
    expressions: ["ProjectionExpression", "FilterExpression"],
    legacy: ["AttributesToGet", "ScanFilter", "ConditionalOperator"],
    layer: "older",
  },
};

/** AWS: Limits — the length of an expression in bytes. */
const maxExpressionBytes = 4096;

const noExpressions: RequestExpressions = {};

/** The parameters that are present in a request. */
interface Given {
  readonly expressions: readonly ExpressionName[];
  readonly legacy: readonly LegacyName[];
  readonly names: unknown;
  readonly values: unknown;
}

/** Throws for parameters that exclude each other. */
export function checkParameters(parameters: ExpressionParameters, kindName: keyof typeof kinds): Given {
  const kind: RequestKind = kinds[kindName];
  const expressions = kind.expressions.filter((name) => parameters[name] !== undefined);
  const legacy = kind.legacy.filter((name) => parameters[name] !== undefined);
  const withValues = kind.expressions.filter((name) => name !== "ProjectionExpression");
  const { ExpressionAttributeNames: names } = parameters;
  const values = withValues.length === 0 ? undefined : parameters.ExpressionAttributeValues;
  if (expressions.length > 0) {
    // KeyConditions may accompany a filter expression: an old mapper of the Java SDK sends such queries.
    const mixed = legacy.filter(
      (name) => name !== "KeyConditions" || expressions.includes("KeyConditionExpression"),
    );
    if (mixed.length > 0) throw mixedKinds(mixed, expressions);
  } else if (names !== undefined) {
    throw invalid("ExpressionAttributeNames can only be specified when using expressions");
  }
  if (values !== undefined && !withValues.some((name) => expressions.includes(name))) {
    throw withoutExpression(withValues, isWrite(kindName));
  }
  return { expressions, legacy, names, values };
}

/** Parses all expressions of a request, of either kind. Throws DynamoDB's error for the first problem in them. */
export function requestExpressions(
  parameters: ExpressionParameters,
  kindName: keyof typeof kinds,
): RequestExpressions {
  const { expressions: given, legacy, names, values } = checkParameters(parameters, kindName);
  if (given.length === 0) return legacy.length === 0 ? noExpressions : readLegacy(pick(parameters, legacy));
  const expressions = readExpressions(
    pick(parameters, given),
    new Binding(names, values, kinds[kindName].layer === "newer"),
  );
  if (!legacy.includes("KeyConditions")) return expressions;
  const keyCondition = legacyConditions(parameters.KeyConditions, undefined, "filter");
  checkIndexable(parameters.KeyConditions);
  return { ...expressions, keyCondition };
}

function pick<Name extends keyof ExpressionParameters>(
  parameters: ExpressionParameters,
  names: readonly Name[],
): Pick<ExpressionParameters, Name> {
  const picked: Partial<Record<Name, unknown>> = {};
  for (const name of names) picked[name] = parameters[name];
  return picked as Pick<ExpressionParameters, Name>;
}

function readExpressions(
  parameters: Pick<ExpressionParameters, ExpressionName>,
  binding: Binding,
): RequestExpressions {
  const read = <Tree>(
    name: ExpressionName,
    parse: (expression: string) => Template<Tree>,
  ): Tree | undefined => {
    const expression = parameters[name];
    return expression === undefined ? undefined : readOne(name, expression, parse, binding);
  };
  const result = {
    update: read("UpdateExpression", parseUpdate),
    condition: read("ConditionExpression", parseCondition),
    keyCondition: read("KeyConditionExpression", parseCondition),
    filter: read("FilterExpression", parseCondition),
    projection: read("ProjectionExpression", parseProjection),
    maxValueBytes: binding.valueBytes,
  };
  binding.checkAllUsed();
  return result;
}

function readOne<Tree>(
  name: string,
  expression: string,
  parse: (expression: string) => Template<Tree>,
  binding: Binding,
): Tree {
  try {
    if (expression === "") throw new ExpressionError("The expression can not be empty;");
    const bytes = Buffer.byteLength(expression);
    if (bytes > maxExpressionBytes) {
      // AWS reports the size of every other expression (Parity Suite of 2026-10-09, `deepRequests`).
      const size = name === "UpdateExpression" ? "" : ` expression size: ${bytes}`;
      throw new ExpressionError(`Expression size has exceeded the maximum allowed size;${size}`);
    }
    return parse(expression)(binding);
  } catch (error) {
    if (error instanceof ExpressionError) throw invalid(`Invalid ${name}: ${error.message}`);
    throw error;
  }
}

function readLegacy(parameters: Pick<ExpressionParameters, LegacyName>): RequestExpressions {
  const { ConditionalOperator: operator } = parameters;
  const conditions = parameters.QueryFilter ?? parameters.ScanFilter ?? parameters.Expected;
  const result = {
    filter: legacyConditions(parameters.QueryFilter ?? parameters.ScanFilter, operator, "filter"),
    projection: attributesToGet(parameters.AttributesToGet),
    update: attributeUpdates(parameters.AttributeUpdates),
    condition: legacyConditions(parameters.Expected, operator, "expectation"),
    keyCondition: legacyConditions(parameters.KeyConditions, undefined, "filter"),
  };
  if (operator !== undefined) checkConditionalOperator(conditions);
  checkIndexable(parameters.KeyConditions);
  return result;
}

function checkConditionalOperator(conditions: unknown): void {
  const count = conditions === undefined ? 0 : Object.keys(conditions as object).length;
  if (count === 0) throw invalid("ConditionalOperator cannot be used without Filter or Expected");
  if (count === 1) {
    throw invalid("ConditionalOperator can only be used when Filter or Expected has two or more elements");
  }
}

function mixedKinds(legacy: readonly string[], given: readonly string[]): Error {
  return invalid(
    "Can not use both expression and non-expression parameters in the same request: " +
      `Non-expression parameters: {${legacy.join(", ")}} Expression parameters: {${given.join(", ")}}`,
  );
}

/** PutItem, UpdateItem and DeleteItem do not report which expression is missing; other operations do. */
function isWrite(kindName: RequestKindName): boolean {
  return kindName === "write" || kindName === "update";
}

function withoutExpression(withValues: readonly string[], isWriteAlone: boolean): Error {
  const words = "ExpressionAttributeValues can only be specified when using expressions";
  if (isWriteAlone) return invalid(words);
  return invalid(`${words}: ${withValues.join(" and ")} ${withValues.length > 1 ? "are" : "is"} null`);
}
