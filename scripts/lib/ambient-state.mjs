/**
 * Code of the rooms takes the time, randomness, the environment and the streams from its caller, so that a test decides
 * what they are. Only the files named here reach for the real ones.
 */

const ambient = [
  {
    what: "the clock: take core's Clock",
    pattern:
      /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|(?<![\w.])set(?:Timeout|Interval)\(|"(?:node:)?timers\/promises"|\bAbortSignal\.timeout\(/,
    allowedIn: ["packages/core/src/clock.ts", "packages/testkit/src/"],
  },
  {
    what: "randomness: take core's Random",
    pattern: /\bMath\.random\(/,
    allowedIn: ["packages/core/src/random.ts"],
  },
  {
    what: "the environment: take an option",
    pattern: /\bprocess\.env\b/,
    // `connect` and the standard chain of credentials read AWS's own variables.
    allowedIn: [
      "packages/tablekeep/src/cli/main.ts",
      "packages/client/src/connect.ts",
      "packages/client/src/credentials/standard-chain.ts",
    ],
  },
];

/**
 * Each use of ambient state in the rooms' own code.
 * @param {{ path: string, source: string }} file
 * @returns {string[]}
 */
export function ambientState({ path, source }) {
  if (!/^packages\/[^/]+\/src\/.*\.ts$/.test(path) || /\.test(-d)?\.ts$/.test(path)) return [];
  const rules = ambient.filter(({ allowedIn }) => !allowedIn.some((prefix) => path.startsWith(prefix)));
  return source.split("\n").flatMap((line, index) => {
    if (/^\s*(\*|\/\/|\/\*)/.test(line)) return [];
    return rules
      .filter(({ pattern }) => pattern.test(line))
      .map(({ what }) => `${path}:${index + 1}: uses ${what}`);
  });
}
