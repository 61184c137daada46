/**
 * Who may import whom: the table of rooms and doors in ARCHITECTURE.md as data, and the check that holds the code to it.
 * It binds `src`. Tests and `testing` folders may also import testkit; tests may also import the engine and any package,
 * and those of testkit and the engine the client, for a port to try them with. The console of the program is a page: it
 * imports itself and what is bundled with it, and only its tests import it.
 */

/** @typedef {{ path: string, source: string }} SourceFile a file by its path from the root of the checkout */

/**
 * @typedef {object} Room
 * @property {readonly string[]} rooms the rooms that it may import
 * @property {readonly string[] | "anywhere"} awsSdk the folders of its `src` that may import the AWS SDK
 * @property {readonly string[] | "anywhere"} packages the folders of its `src` that may import packages of others
 * @property {"no node" | "no sockets" | "any"} node which modules of Node it may import
 */

const stores = { awsSdk: [], packages: "anywhere", node: "any" };

/** @type {Readonly<Record<string, Room>>} */
export const rooms = {
  core: { rooms: [], awsSdk: [], packages: [], node: "no node" },
  client: { rooms: ["core"], awsSdk: ["sdk/", "credentials/"], packages: "anywhere", node: "any" },
  engine: { rooms: ["core"], awsSdk: [], packages: ["storage/"], node: "no sockets" },
  journal: { ...stores, rooms: ["core", "client"] },
  entity: { ...stores, rooms: ["core", "client", "journal"] },
  shadow: { ...stores, rooms: ["core", "client"] },
  mail: { ...stores, rooms: ["core", "client"] },
  testkit: { rooms: ["core"], awsSdk: [], packages: "anywhere", node: "any" },
  tablekeep: {
    rooms: ["core", "client", "engine", "journal", "entity", "shadow", "mail"],
    awsSdk: "anywhere",
    packages: "anywhere",
    node: "any",
  },
};

const awsSdkPackages = /^@(aws-sdk|aws-crypto|smithy)\//;
const socketModules = /^node:(net|tls|dgram|dns|http|https|http2)(\/|$)/;

/**
 * Every import that goes through a door that is not there, one line each.
 * @param {readonly SourceFile[]} files
 * @returns {string[]}
 */
export function forbiddenImports(files) {
  return files.flatMap((file) => {
    const place = placeOf(file.path);
    if (place === undefined) return [];
    const room = rooms[place.room];
    if (room === undefined) return [`${file.path}: the room ${place.room} has no line in the table of doors`];
    return importsOf(file.source).flatMap((specifier) => {
      const reason = refusal(specifier, file.path, place, room);
      return reason === undefined ? [] : [`${file.path}: imports ${specifier}: ${reason}`];
    });
  });
}

/** @typedef {{ room: string, inRoom: string, isTest: boolean, isTesting: boolean }} Place */

/** @returns {Place | undefined} */
function placeOf(path) {
  const [, room, inRoom] = /^packages\/([^/]+)\/((?:src|test|console)\/.*)$/.exec(path) ?? [];
  if (room === undefined || inRoom === undefined) return undefined;
  const isTest = inRoom.startsWith("test/") || /\.test(-d)?\.ts$/.test(inRoom);
  return { room, inRoom, isTest, isTesting: isTest || inRoom.includes("/testing/") };
}

/** Why this import is refused, or undefined. */
function refusal(specifier, path, place, room) {
  if (specifier.startsWith(".")) return relativeRefusal(specifier, path, place);
  if (isConsole(place)) {
    return /^preact(\/|$)/.test(specifier) ? undefined : "the console is made of Preact and itself";
  }
  const [, other, door] = /^@tablekeep\/([^/]+)(\/.*)?$/.exec(specifier) ?? [];
  if (other !== undefined) return roomRefusal(other, door, place, room);
  if (place.isTest) return undefined;
  if (specifier.startsWith("node:")) return nodeRefusal(specifier, place, room);
  if (awsSdkPackages.test(specifier) && !allows(room.awsSdk, place)) {
    return `the AWS SDK is imported only in ${folders(room.awsSdk)} of ${place.room}`;
  }
  if (!awsSdkPackages.test(specifier) && !allows(room.packages, place)) {
    return `packages of others are imported only in ${folders(room.packages)} of ${place.room}`;
  }
  return undefined;
}

function isConsole(place) {
  return place?.inRoom.startsWith("console/") ?? false;
}

function relativeRefusal(specifier, path, place) {
  const target = new URL(specifier, `file:///${path}`).pathname.slice(1);
  // Tests may start servers with what the scripts have, and run the models of the simulation.
  if (place.isTest && /^(scripts\/lib|simulation)\//.test(target)) return undefined;
  const there = placeOf(target);
  if (isConsole(place) !== isConsole(there) && !place.isTest)
    return "the console and the program speak over HTTP only";
  if (there?.room !== place.room) return "a relative import stays inside its room";
  if (!place.isTesting && there.isTesting) return "code does not import what is there for tests";
  // The command line starts the server; the server never asks how it was started.
  if (place.inRoom.startsWith("src/server/") && there.inRoom.startsWith("src/cli/")) {
    return "server never imports cli";
  }
  return undefined;
}

function roomRefusal(other, door, place, room) {
  if (door !== undefined && !(door === "/testing" && place.isTesting)) {
    return "a room is entered through its index, or by a test through /testing";
  }
  const extra = [...(place.isTesting ? ["testkit"] : []), ...(place.isTest ? ["engine"] : [])];
  if (place.isTest && ["testkit", "engine"].includes(place.room)) extra.push("client");
  if (other === place.room || room.rooms.includes(other) || extra.includes(other)) return undefined;
  return `${place.room} may import ${room.rooms.join(", ") || "no room"}, not ${other}`;
}

function nodeRefusal(specifier, place, room) {
  if (room.node === "no node") return `${place.room} imports nothing`;
  if (room.node === "no sockets" && socketModules.test(specifier)) return `${place.room} opens no sockets`;
  return undefined;
}

function allows(where, place) {
  return where === "anywhere" || where.some((folder) => place.inRoom.startsWith(`src/${folder}`));
}

function folders(where) {
  return where.length === 0 ? "no folder" : where.map((folder) => `src/${folder}`).join(" and ");
}

/**
 * What a file imports, in any of the ways there are. Comments do not count.
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
