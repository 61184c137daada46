import type { OptionCheck } from "@tablekeep/core";

/** What `check` allows, or a pair of it of which the first is not above the second. */
export function orRange(check: OptionCheck): OptionCheck {
  return (value) => {
    if (!Array.isArray(value)) return check(value);
    const [least, most] = value as unknown[];
    const reason = check(least) ?? check(most);
    if (reason !== undefined || value.length !== 2)
      return `${reason ?? "must be one value"}, or two of that kind`;
    return (least as number) <= (most as number) ? undefined : "must be a pair that rises";
  };
}
