/**
 * Library code gets the time, randomness and the environment from its caller, so that tests control them. Only the files
 * listed here use the real ones.
 */

const ambient = [
  {
    what: "the real clock; use a Clock from core",
    pattern:
      /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|(?<![\w.])set(?:Timeout|Interval)\(|"(?:node:)?timers\/promises"|\bAbortSignal\.timeout\(/,
    allowedIn: ["packages/core/src/clock.ts", "packages/testkit/src/", "packages/port-suite/src/"],
  },
  {
    what: "real randomness; use a Random from core",
    pattern: /\bMath\.random\(/,
    allowedIn: ["packages/core/src/clock.ts"],
  },
  {
    what: "the environment; use an option",
    pattern: /\bprocess\.env\b/,
    // `connect` and the standard credential chain read AWS's own variables.
    allowedIn: [
      "packages/tablekeep/src/cli/main.ts",
      "packages/client/src/connect.ts",
      "packages/client/src/credentials/standard-chain.ts",
    ],
  },
];

/**
 * Returns one line for each use of ambient state in a package's source.
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
