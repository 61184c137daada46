/**
 * Completes package-lock.json for all platforms, so that `npm ci` works on each of them. If a registry lacks packages of
 * some platforms, npm omits them from the lock file and later rejects that file
 * (https://github.com/npm/cli/issues/4828). The missing entries can be derived: the dependent package says which version it
 * needs, and the package's name says which platform it is for.
 */

const platform =
  /[-/](?<os>aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(?<cpu>arm|arm64|ia32|loong64|ppc64|riscv64|s390x|x64)(?:-(?<abi>\w+))?$/;

/**
 * Returns the optional packages that the lock file lacks, as entries of its `packages`.
 * @param {{ packages: Record<string, LockedPackage> }} lock
 * @returns {Record<string, LockedPackage>}
 *
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 * @property {Record<string, string>} [optionalDependencies]
 */
export function missingPlatforms(lock) {
  /** @type {Record<string, LockedPackage>} */
  const missing = {};
  for (const [path, wanting] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(wanting.optionalDependencies ?? {})) {
      if (candidates(path, name).some((place) => place in lock.packages)) continue;
      missing[`node_modules/${name}`] = entryFor(name, version, wanting.dev === true);
    }
  }
  return missing;
}

/**
 * Returns the problems of a checkout's lock file.
 * @param {readonly { path: string, source: string }[]} files
 * @returns {string[]}
 */
export function lockProblems(files) {
  const lock = files.find(({ path }) => path === "package-lock.json");
  if (lock === undefined) return ["there is no package-lock.json"];
  const missing = Object.keys(missingPlatforms(JSON.parse(lock.source)));
  const lines = missing.map((place) => `package-lock.json lacks ${place}: npm run complete-lock adds it`);
  const hosts = lock.source.match(/"resolved": "https?:[^"]+"/g) ?? [];
  return hosts.length === 0
    ? lines
    : [...lines, `package-lock.json names hosts, e.g. ${hosts[0]}: see .npmrc`];
}

/** Returns the lock file with these packages added, in npm's order. */
export function completedLock(lock) {
  const packages = Object.entries({ ...lock.packages, ...missingPlatforms(lock) });
  return {
    ...lock,
    packages: Object.fromEntries(packages.sort(([one], [other]) => one.localeCompare(other, "en"))),
  };
}

/** @returns {LockedPackage} */
function entryFor(name, version, dev) {
  const { os, cpu, abi } = platform.exec(name)?.groups ?? {};
  if (os === undefined || cpu === undefined || !/^\d/.test(version)) {
    throw new Error(`unknown platform of ${name}@${version}: add it to package-lock.json by hand`);
  }
  const libc = os !== "linux" || abi === undefined ? undefined : abi.startsWith("musl") ? "musl" : "glibc";
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev } : {}),
    ...(libc === undefined ? {} : { libc: [libc] }),
    optional: true,
    os: [os],
  };
}

/** Returns where Node looks for `name` from the package at `path`, nearest first. */
function candidates(path, name) {
  const places = [`node_modules/${name}`];
  const parts = path.split("/node_modules/");
  for (let depth = 1; depth <= parts.length; depth += 1) {
    places.push(`${parts.slice(0, depth).join("/node_modules/")}/node_modules/${name}`);
  }
  return places.toReversed();
}
