/** Finds traces of the machine a file was written on: local paths and package registries. */

const traces = [
  { what: "a local path", pattern: /(?<![\w.:/~-])\/(?:home|Users|root|work|mnt)\/[\w.-]+/ },
  { what: "a local path", pattern: /\b[A-Z]:\\\\?Users\\/ },
  { what: "a package registry", pattern: /\bregistry\.[\w-]+\.[\w.-]+/ },
  { what: "a package registry", pattern: /https?:\/\/[^\s/"']*(?:artifactory|nexus|verdaccio|codeartifact)/ },
];

/** Files written by npm, which may name a registry. */
const exempt = new Set(["package-lock.json"]);

/**
 * Returns one line for each line of `source` with a trace.
 * @param {{ path: string, source: string }} file
 * @returns {string[]}
 */
export function machineTraces({ path, source }) {
  if (exempt.has(path) || source.includes("\0")) return [];
  return source.split("\n").flatMap((line, index) => {
    const found = traces.find(({ pattern }) => pattern.test(line));
    return found ? [`${path}:${index + 1}: names ${found.what}: ${found.pattern.exec(line)?.[0]}`] : [];
  });
}
