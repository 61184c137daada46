import { InvalidArgumentError } from "commander";

/** Parses a whole number from `least` up. */
export function parseWhole(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^-?\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`give a whole number from ${least} up`);
  };
}

/** Parses a number above 0. */
export function parseRate(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError("give a number above 0");
}
