import { invalid } from "../item/refuse.ts";
import { attributeUpdates } from "../legacy/attribute-updates.ts";
import { attributesToGet } from "../legacy/attributes-to-get.ts";
import { legacyConditions, legacyKeyConditions } from "../legacy/legacy-conditions.ts";
import { Binding } from "./binding.ts";
import { parseCondition } from "./parse-condition.ts";
import { parseProjection } from "./parse-projection.ts";
import { parseUpdate } from "./parse-update.ts";
import type { Condition, Projection, Update } from "./syntax-tree.ts";
import type { Template } from "./template.ts";
import { ExpressionFault } from "./token-reader.ts";

/** The members of a request that hold expressions, their placeholders, or their older counterparts. */
export interface ExpressionParameters {
  readonly ConditionExpression?: string | undefined;
  readonly FilterExpression?: string | undefined;
  readonly KeyConditionExpression?: string | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ProjectionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: unknown;
  readonly ExpressionAttributeValues?: unknown;
  readonly ConditionalOperator?: string | undefined;
  readonly Expected?: unknown;
  readonly AttributeUpdates?: unknown;
  readonly KeyConditions?: unknown;
  readonly QueryFilter?: unknown;
  readonly ScanFilter?: unknown;
  readonly AttributesToGet?: unknown;
}

/** The same, understood. */
export interface RequestExpressions {
  readonly condition?: Condition | undefined;
  readonly filter?: Condition | undefined;
  readonly keyCondition?: Condition | undefined;
  readonly update?: Update | undefined;
  readonly projection?: Projection | undefined;
}

const expressionNames = [
  "ProjectionExpression",
  "FilterExpression",
  "KeyConditionExpression",
  "UpdateExpression",
  "ConditionExpression",
] as const;

const legacyNames = [
  "AttributesToGet",
  "QueryFilter",
  "ScanFilter",
  "KeyConditions",
  "AttributeUpdates",
  "Expected",
  "ConditionalOperator",
] as const;

/** AWS: Limits — the length of an expression in bytes. */
const maxExpressionBytes = 4096;

const noExpressions: RequestExpressions = {};

/**
 * Reads all expressions of a request, of either kind. Throws DynamoDB's refusal for anything wrong in them.
 * `takesValues` names the expressions of this operation in which values could stand, for the message when there are none.
 */
export function requestExpressions(
  parameters: ExpressionParameters,
  takesValues = "ConditionExpression is",
): RequestExpressions {
  const given = expressionNames.filter((name) => parameters[name] !== undefined);
  const legacy = legacyNames.filter((name) => parameters[name] !== undefined);
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = parameters;
  if (given.length === 0 && names === undefined && values === undefined) {
    return legacy.length === 0 ? noExpressions : readLegacy(parameters);
  }
  // KeyConditions may stand beside a filter expression: an old mapper of the Java SDK queries so.
  const mixed = legacy.filter((name) => name !== "KeyConditions" || given.includes("KeyConditionExpression"));
  if (mixed.length > 0) throw mixedKinds(mixed, given, names !== undefined, values !== undefined);
  if (given.length === 0) throw withoutExpression(names !== undefined, takesValues);
  const { KeyConditions } = parameters;
  const expressions = readExpressions(parameters);
  return KeyConditions === undefined
    ? expressions
    : { ...expressions, keyCondition: legacyKeyConditions(KeyConditions) };
}

function readExpressions(parameters: ExpressionParameters): RequestExpressions {
  const binding = new Binding(parameters.ExpressionAttributeNames, parameters.ExpressionAttributeValues);
  const read = <Tree>(
    name: (typeof expressionNames)[number],
    parse: (expression: string) => Template<Tree>,
  ): Tree | undefined => {
    const expression = parameters[name];
    return expression === undefined ? undefined : readOne(name, expression, parse, binding);
  };
  const result = {
    projection: read("ProjectionExpression", parseProjection),
    filter: read("FilterExpression", parseCondition),
    keyCondition: read("KeyConditionExpression", parseCondition),
    update: read("UpdateExpression", parseUpdate),
    condition: read("ConditionExpression", parseCondition),
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
    if (expression === "") throw new ExpressionFault("The expression can not be empty;");
    const bytes = Buffer.byteLength(expression);
    if (bytes > maxExpressionBytes) {
      throw new ExpressionFault(
        `Expression size has exceeded the maximum allowed size; expression size: ${bytes}`,
      );
    }
    return parse(expression)(binding);
  } catch (error) {
    if (error instanceof ExpressionFault) throw invalid(`Invalid ${name}: ${error.message}`);
    throw error;
  }
}

function readLegacy(parameters: ExpressionParameters): RequestExpressions {
  const { ConditionalOperator: operator } = parameters;
  const judged = parameters.QueryFilter ?? parameters.ScanFilter ?? parameters.Expected;
  if (operator !== undefined && judged === undefined) {
    throw invalid("ConditionalOperator cannot be used without Filter or Expected");
  }
  return {
    projection: attributesToGet(parameters.AttributesToGet),
    filter: legacyConditions(parameters.QueryFilter ?? parameters.ScanFilter, operator),
    keyCondition: legacyKeyConditions(parameters.KeyConditions),
    update: attributeUpdates(parameters.AttributeUpdates),
    condition: legacyConditions(parameters.Expected, operator),
  };
}

function mixedKinds(
  legacy: readonly string[],
  given: readonly string[],
  hasNames: boolean,
  hasValues: boolean,
): Error {
  const placeholders = [
    ...(hasNames ? ["ExpressionAttributeNames"] : []),
    ...(hasValues ? ["ExpressionAttributeValues"] : []),
  ];
  return invalid(
    "Can not use both expression and non-expression parameters in the same request: " +
      `Non-expression parameters: {${legacy.join(", ")}} ` +
      `Expression parameters: {${(given.length > 0 ? given : placeholders).join(", ")}}`,
  );
}

function withoutExpression(hasNames: boolean, takesValues: string): Error {
  return hasNames
    ? invalid("ExpressionAttributeNames can only be specified when using expressions")
    : invalid(`ExpressionAttributeValues can only be specified when using expressions: ${takesValues} null`);
}
