import { readFileSync, statSync } from "node:fs";
import type { Logger } from "@tablekeep/core";
import { printJson, type ShadowId, type ShadowState, type ShadowValidator } from "@tablekeep/shadow";
import type { ErrorObject, ValidateFunction } from "ajv";
import { readReason } from "../file-reason.ts";
import { type InvalidFile, membersOf, pointerTo } from "../json-file.ts";
import { type Matches, wildcard } from "../patterns/wildcard.ts";
import { ServerError } from "../server-error.ts";

const maxFileBytes = 1024 * 1024;
const maxTypes = 1_000;
/** The number of shadows whose last warning is remembered, so that it is logged once. */
const maxWarned = 10_000;

/** The version of JSON Schema. */
const draft = "https://json-schema.org/draft/2020-12/schema";

/** Unknown keywords and formats are errors. The rest of ajv's strict mode rejects schemas that the standard allows. */
const strictness = {
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowMatchingProperties: true,
} as const;

/** The schema of one type of things. */
interface ThingType {
  /** The type and the version of its schema, for messages. */
  readonly label: string;
  readonly things: Matches;
  readonly shadows: Matches;
  readonly mode: "warn" | "reject";
  readonly validate: ValidateFunction;
}

/** The schemas of a file. */
export interface ShadowSchemas {
  /** Returns the check of a store's manager. */
  validator(logger: Logger): ShadowValidator;
}

/** Reads a file of schemas. Anything that is not supported is an error, so that no schema is silently ignored. */
export async function readSchemasFile(path: string): Promise<ShadowSchemas> {
  let text: string;
  try {
    if (statSync(path).size > maxFileBytes) throw invalid(path, "must have at most 1 MiB");
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof ServerError) throw cause;
    throw invalid(path, readReason(cause));
  }
  return parseSchemas(text, path);
}

/** Parses the content of a file of schemas. */
export async function parseSchemas(text: string, path: string): Promise<ShadowSchemas> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw invalid(path, "must be JSON");
  }
  const { types } = membersOf(
    document,
    { where: "the file", pointer: "", known: ["types"] },
    invalidIn(path),
  );
  if (!Array.isArray(types) || types.length === 0 || types.length > maxTypes)
    throw invalid(path, `types must be an array of 1 to ${maxTypes} types`, "/types");
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  // Without a loader, a reference to another document is an error when the schema is compiled.
  const ajv = new Ajv2020({ ...strictness, logger: false });
  // ajv resolves anchors, and would reject them as unknown.
  ajv.addKeyword("$anchor");
  const compile = (schema: unknown) => {
    const validate = ajv.compile(schema as object);
    // Another type, or another version of the same type, may have the same $id.
    ajv.removeSchema(schema as object);
    return validate;
  };
  const found = types.map((type, at) => typeOf(path, type, at, compile));
  return { validator: (logger) => validatorOf(found, logger) };
}

function typeOf(
  path: string,
  given: unknown,
  at: number,
  compile: (schema: unknown) => ValidateFunction,
): ThingType {
  const [where, pointer] = [`types[${at}]`, pointerTo("types", at)];
  const known = ["name", "version", "things", "shadows", "mode", "schema"];
  const wrong = (member: string, reason: string) =>
    invalid(path, `${where}.${member}${reason}`, pointer + pointerTo(member));
  const fields = membersOf(given, { where, pointer, known }, invalidIn(path));
  const { name, version, things, shadows = "", mode = "reject", schema } = fields;
  if (typeof name !== "string" || name === "") throw wrong("name", " must be a non-empty string");
  if (!Number.isSafeInteger(version) || Number(version) < 1)
    throw wrong("version", " must be an integer from 1");
  if (typeof things !== "string" || things === "")
    throw wrong("things", ` must be a pattern such as "lamp-*"`);
  if (typeof shadows !== "string") throw wrong("shadows", ` must be a pattern such as "config" or "*"`);
  if (mode !== "warn" && mode !== "reject") throw wrong("mode", ` must be "warn" or "reject"`);
  if (typeof schema !== "object" || schema === null) throw wrong("schema", " must be a JSON Schema");
  const { $schema = draft } = schema as { readonly $schema?: unknown };
  if (String($schema).replace(/#$/, "") !== draft)
    throw invalid(
      path,
      `${where}.schema has the $schema ${String($schema)}; expected ${draft}`,
      `${pointer}/schema/$schema`,
    );
  const label = `${name} version ${String(version)}`;
  try {
    return { label, things: wildcard(things), shadows: wildcard(shadows), mode, validate: compile(schema) };
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw wrong("schema", `: ${reason}`);
  }
}

function validatorOf(types: readonly ThingType[], logger: Logger): ShadowValidator {
  const warned = new Map<string, string>();
  return (shadow, state) => {
    const type = types.find(({ things, shadows }) => things(shadow.id) && shadows(shadow.name));
    const problem = type && problemOf(type, state);
    if (type === undefined || problem === undefined) return undefined;
    if (type.mode === "reject") return { ...problem, schema: type.label };
    warnOnce(warned, shadow, `${type.label}${problem.path}${problem.reason}`, () =>
      logger.warn("a shadow does not match its schema", {
        thing: shadow.id,
        name: shadow.name,
        schema: type.label,
        ...problem,
      }),
    );
    return undefined;
  };
}

function problemOf(
  { validate }: ThingType,
  state: ShadowState,
): { readonly path: string; readonly reason: string } | undefined {
  // Exact numbers, which JSON Schema does not have, become JavaScript's.
  if (validate(JSON.parse(printJson({ ...state })))) return undefined;
  const [first] = validate.errors ?? [];
  return { path: first?.instancePath ?? "", reason: first === undefined ? "is not valid" : reasonOf(first) };
}

/** Describes the problem, with the names and values that ajv's own messages omit. */
function reasonOf({ keyword, message = "is not valid", params }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  const property = additionalProperty ?? unevaluatedProperty;
  if (property !== undefined) return `must not have the property ${JSON.stringify(property)}`;
  if (keyword === "enum") return shortened(`must be one of ${JSON.stringify(allowedValues).slice(1, -1)}`);
  return keyword === "const" ? shortened(`must be ${JSON.stringify(allowedValue)}`) : message;
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`;
}

function warnOnce(
  warned: Map<string, string>,
  { id, name }: ShadowId,
  problem: string,
  warn: () => void,
): void {
  const key = JSON.stringify([id, name]);
  if (warned.get(key) === problem) return;
  warned.delete(key);
  warned.set(key, problem);
  const [oldest] = warned.keys();
  if (oldest !== undefined && warned.size > maxWarned) warned.delete(oldest);
  warn();
}

const invalidIn =
  (path: string): InvalidFile =>
  (reason, pointer) =>
    invalid(path, reason, pointer);

function invalid(path: string, reason: string, pointer?: string): ServerError {
  const details = { path, reason, pointer };
  return new ServerError("SERVER_SCHEMAS_FILE_INVALID", `schemas in ${path}: ${reason}`, details);
}
