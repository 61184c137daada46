import { setOwn } from "../item/wire-value.ts";
import { ItemAnswer } from "./item-answer.ts";

/** What an operation answers: plain data with {@link ItemAnswer}s and dates in it, in the shape of its output. */
export type Answer = { readonly [member: string]: unknown };

/** The answer as the wire has it: dates as seconds, absent members left out. */
export function answerJson(value: unknown): string {
  if (value instanceof ItemAnswer) return value.toJson();
  if (value instanceof Date) return String(value.getTime() / 1000);
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("base64")}"`;
  if (Array.isArray(value)) return `[${value.map(answerJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let text = "";
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined)
      text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${answerJson(member)}`;
  }
  return `{${text}}`;
}

/** The answer as an object that shares nothing with the engine. */
export function answerObject(value: unknown): unknown {
  if (value instanceof ItemAnswer) return value.toItem();
  if (value instanceof Date) return new Date(value);
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map(answerObject);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) setOwn(copy, name, answerObject(member));
  }
  return copy;
}
