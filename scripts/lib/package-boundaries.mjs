/**
 * Which package may import what: the table of packages in ARCHITECTURE.md as data, and the check that holds the code to it.
 * It applies to `src`. Tests and `testing` folders may also import testkit; tests may also import the engine, the port suite and
 * any third-party package, and tests of testkit, the port suite and the engine may import the client. The console is a web page: it imports
 * only itself and Preact, and only its tests import it.
 */

/** @typedef {{ path: string, source: string }} SourceFile a file by its path from the root of the checkout */

/**
 * @typedef {object} Boundary
 * @property {readonly string[]} imports the packages of this repository that it may import
 * @property {readonly string[] | "anywhere"} awsSdk the folders of its `src` that may import the AWS SDK
 * @property {readonly string[] | "anywhere"} thirdParty the folders of its `src` that may import other npm packages
 * @property {"no node" | "no sockets" | "any"} node which modules of Node it may import
 */

const store = { awsSdk: [], thirdParty: "anywhere", node: "any" };

/** @type {Readonly<Record<string, Boundary>>} */
export const boundaries = {
  core: { imports: [], awsSdk: [], thirdParty: [], node: "no node" },
  client: { imports: ["core"], awsSdk: ["sdk/", "credentials/"], thirdParty: "anywhere", node: "any" },
  engine: { imports: ["core"], awsSdk: [], thirdParty: ["storage/"], node: "no sockets" },
  journal: { ...store, imports: ["core", "client"] },
  entity: { ...store, imports: ["core", "client", "journal"] },
  feed: { ...store, imports: ["core", "client", "journal"] },
  emmett: { ...store, imports: ["core", "client", "journal"] },
  castore: { ...store, imports: ["core", "client", "journal"] },
  shadow: { ...store, imports: ["core", "client"] },
  mail: { ...store, imports: ["core", "client"] },
  testkit: { imports: ["core"], awsSdk: [], thirdParty: "anywhere", node: "any" },
  "port-suite": { imports: ["core"], awsSdk: [], thirdParty: "anywhere", node: "any" },
  tablekeep: {
    imports: ["core", "client", "engine", "journal", "entity", "feed", "shadow", "mail"],
    awsSdk: "anywhere",
    thirdParty: "anywhere",
    node: "any",
  },
};

const awsSdkPackages = /^@(aws-sdk|aws-crypto|smithy)\//;
const socketModules = /^node:(net|tls|dgram|dns|http|https|http2)(\/|$)/;

/**
 * Returns one line for each import that crosses a boundary.
 * @param {readonly SourceFile[]} files
 * @returns {string[]}
 */
export function forbiddenImports(files) {
  return files.flatMap((file) => {
    const location = locationOf(file.path);
    if (location === undefined) return [];
    const boundary = boundaries[location.package];
    if (boundary === undefined)
      return [`${file.path}: package ${location.package} has no boundary in package-boundaries.mjs`];
    return importsOf(file.source).flatMap((specifier) => {
      const reason = reasonToForbid(specifier, file.path, location, boundary);
      return reason === undefined ? [] : [`${file.path}: imports ${specifier}: ${reason}`];
    });
  });
}

/** @typedef {{ package: string, path: string, isTest: boolean, isTesting: boolean }} Location `path` is inside the package */

/** @returns {Location | undefined} */
function locationOf(file) {
  const [, name, path] = /^packages\/([^/]+)\/((?:src|test|console)\/.*)$/.exec(file) ?? [];
  if (name === undefined || path === undefined) return undefined;
  const isTest = path.startsWith("test/") || /\.test(-d)?\.ts$/.test(path);
  return { package: name, path, isTest, isTesting: isTest || path.includes("/testing/") };
}

function reasonToForbid(specifier, file, location, boundary) {
  if (specifier.startsWith(".")) return reasonToForbidRelative(specifier, file, location);
  if (isConsole(location)) {
    return /^preact(\/|$)/.test(specifier) ? undefined : "the console imports only Preact and itself";
  }
  const [, other, subpath] = /^@tablekeep\/([^/]+)(\/.*)?$/.exec(specifier) ?? [];
  if (other !== undefined) return reasonToForbidPackage(other, subpath, location, boundary);
  if (location.isTest) return undefined;
  if (specifier.startsWith("node:")) return reasonToForbidNode(specifier, location, boundary);
  if (awsSdkPackages.test(specifier)) {
    if (allows(boundary.awsSdk, location)) return undefined;
    return `${location.package} may import the AWS SDK only in ${listFolders(boundary.awsSdk)}`;
  }
  if (allows(boundary.thirdParty, location)) return undefined;
  return `${location.package} may import third-party packages only in ${listFolders(boundary.thirdParty)}`;
}

function isConsole(location) {
  return location?.path.startsWith("console/") ?? false;
}

function reasonToForbidRelative(specifier, file, location) {
  const path = new URL(specifier, `file:///${file}`).pathname.slice(1);
  // Tests may start servers with the scripts, and run the models of the simulation.
  if (location.isTest && /^(scripts\/lib|simulation)\//.test(path)) return undefined;
  const target = locationOf(path);
  if (isConsole(location) !== isConsole(target) && !location.isTest)
    return "the console and the program communicate over HTTP only";
  if (target?.package !== location.package) return "a relative import must stay inside its package";
  if (!location.isTesting && target.isTesting) return "production code must not import test code";
  if (location.path.startsWith("src/server/") && target.path.startsWith("src/cli/")) {
    return "the server must not depend on the command line";
  }
  return undefined;
}

function reasonToForbidPackage(other, subpath, location, boundary) {
  if (subpath === "/testing" && !location.isTesting) return "only tests import /testing";
  if (subpath !== undefined && !/^\/[a-z-]+$/.test(subpath))
    return "import a package through its exports only";
  const forTests = [
    ...(location.isTesting ? ["testkit"] : []),
    ...(location.isTest ? ["engine", "port-suite"] : []),
  ];
  if (location.isTest && ["testkit", "port-suite", "engine"].includes(location.package))
    forTests.push("client");
  if ([location.package, ...boundary.imports, ...forTests].includes(other)) return undefined;
  return `${location.package} may import ${boundary.imports.join(", ") || "no other package"}, not ${other}`;
}

function reasonToForbidNode(specifier, location, boundary) {
  if (boundary.node === "no node") return `${location.package} imports nothing`;
  if (boundary.node === "no sockets" && socketModules.test(specifier))
    return `${location.package} opens no sockets`;
  return undefined;
}

function allows(folders, location) {
  return folders === "anywhere" || folders.some((folder) => location.path.startsWith(`src/${folder}`));
}

function listFolders(folders) {
  return folders.length === 0 ? "no folder" : folders.map((folder) => `src/${folder}`).join(" and ");
}

/**
 * Returns what a file imports: `import`, `export … from`, dynamic `import()` and `require()`. Comments do not count.
 * @param {string} source
 * @returns {string[]}
 */
export function importsOf(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const patterns = [
    /\b(?:import|export)\b[^;'"`]*?\bfrom\s*["']([^"']+)["']/g,
    /\bimport\s*["']([^"']+)["']/g,
    /\b(?:import|require)\s*\(\s*["'`]([^"'`]+)["'`]/g,
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ""));
}
