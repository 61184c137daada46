/**
 * Copies the program and the packages it needs out of this checkout, in the versions of the lock file, without what only
 * compilers, editors and other platforms read.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { rootFolder } from "../run-command.mjs";

/** Without a slash at the end. */
const root = join(rootFolder, "package.json", "..");

/** Files that no running program reads. */
const unread = /\.(?:map|d\.[cm]?ts|ts|md|gyp|c|cpp|h|markdown)$|^\.|^(?:benchmark|rollup\.config|tsconfig)/;
const unreadFolders = new Set(["node_modules", "test", "tests", "dist-es", "dist-types"]);
/** Sources of native code and of the program, and what `dist/program` contains as well. */
const unreadPlaces =
  /(?:^|\/)(?:lmdb\/(?:src|dependencies)|packages\/[^/]+\/src|packages\/tablekeep\/(?:console|dist\/(?!(?:program|thread|console|docs)$)[^/]+))$/;
/** Packages with types alone. */
const typesOnly = /^(?:@types\/|undici-types$)/;

/**
 * Writes the program to `target`.
 * @param {string} target
 * @returns {{ files: number, bytes: number }}
 */
export function programTree(target) {
  const written = { files: 0, bytes: 0 };
  const copy = (from, to) => {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
    written.files += 1;
    written.bytes += statSync(from).size;
  };
  for (const { folder, place } of neededPackages())
    for (const file of filesOf(folder)) copy(file, join(target, place, relative(folder, file)));
  for (const name of ["entry.mjs", "health.mjs"])
    copy(join(rootFolder, "deploy", "docker", name), join(target, name));
  copy(join(rootFolder, "LICENSE"), join(target, "LICENSE"));
  return written;
}

/** Every package that the program loads, and its place below `target`. */
function neededPackages() {
  const found = new Map();
  const visit = (name, from) => {
    const folder = resolve(name, from);
    if (folder === undefined || found.has(folder) || typesOnly.test(name)) return;
    found.set(folder, { folder, place: placeOf(folder) });
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies }))
      if (name !== "tablekeep" || !isBundled(each)) visit(each, folder);
  };
  visit("tablekeep", root);
  // An optional package of the client: on AWS, the container's credentials come through it.
  visit("@aws-sdk/credential-providers", root);
  return found.values();
}

/** Finds a package as Node does. */
function resolve(name, from) {
  for (let at = from; at.startsWith(root); at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return isOwn(name) ? realpathSync(folder) : folder;
  }
  return undefined;
}

/** npm links our own packages to their folders. */
function isOwn(name) {
  return name === "tablekeep" || name.startsWith("@tablekeep/");
}

/** Whether `dist/program` contains all of a package. The threads that decode and check mail load `@tablekeep/mail` themselves. */
function isBundled(name) {
  return isOwn(name) && name !== "@tablekeep/mail";
}

/** Our own packages are in `packages`, with what only they need inside; all others are in `node_modules`. */
function placeOf(folder) {
  const path = relative(root, folder);
  return path.replace(/^packages\/([^/]+)/, (_, name) =>
    join("node_modules", name === "tablekeep" ? name : `@tablekeep/${name}`),
  );
}

function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return unreadFolders.has(entry.name) || unreadPlaces.test(path) ? [] : filesOf(path);
    return unread.test(entry.name) || isForeign(entry.name) ? [] : [path];
  });
}

/** Native code for another version of Node, or for another C library than the image has. */
function isForeign(name) {
  if (!name.endsWith(".node")) return false;
  const [, abi] = /\.abi(\d+)\./.exec(name) ?? [];
  return name.includes(".musl.") || (abi !== undefined && abi !== process.versions.modules);
}
