/** What a file must not tell: where on somebody's machine it was written, and from where packages were fetched there. */

const traces = [
  { what: "a path of one machine", pattern: /(?<![\w.:/~-])\/(?:home|Users|root|work|mnt)\/[\w.-]+/ },
  { what: "a path of one machine", pattern: /\b[A-Z]:\\\\?Users\\/ },
  { what: "a package registry", pattern: /\bregistry\.[\w-]+\.[\w.-]+/ },
  { what: "a package registry", pattern: /https?:\/\/[^\s/"']*(?:artifactory|nexus|verdaccio|codeartifact)/ },
];

/** Files that may name a registry: npm writes them. */
const exempt = new Set(["package-lock.json"]);

/**
 * Each line of `source` that holds a trace.
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
