import type { DocumentObject, DocumentValue } from "@tablekeep/shadow";
import { CliError } from "./cli-error.ts";
import { type CommandIo, readInput } from "./command-context.ts";

const maxBytes = 1024 * 1024;

/** Parses a JSON argument, or stdin for `-`. Keeps every digit of its numbers. */
export async function readJsonArgument(given: string, what: string, io: CommandIo): Promise<DocumentValue> {
  const { isShadowError, parseJson } = await import("@tablekeep/shadow");
  const text = given === "-" ? (await readInput(io, maxBytes)).toString("utf8") : given;
  try {
    return parseJson(text);
  } catch (error) {
    if (!isShadowError(error, "SHADOW_REQUEST_INVALID")) throw error;
    // The usual reason is the shell, which removes the quotation marks.
    const advice = `quote JSON with single quotes, such as '{"on":true}', or pass - and send it to stdin`;
    throw new CliError("CLI_VALUE_INVALID", `${what} is not valid JSON: ${advice}`, error);
  }
}

/** The same for an object, such as `example`. */
export async function readJsonObject(
  given: string,
  { what, example }: { readonly what: string; readonly example: string },
  io: CommandIo,
): Promise<DocumentObject> {
  const value = await readJsonArgument(given, what, io);
  if (isJsonObject(value)) return value;
  throw new CliError("CLI_VALUE_INVALID", `${what} must be an object, such as ${example}`);
}

/** Whether a value of JSON is an object. */
export function isJsonObject(value: DocumentValue | undefined): value is DocumentObject {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
