/** How the test runs one block, or why it does not. */
export type Decision =
  /** Runs the program, with the blocks that continue it. Its stdout must match; `goesOn` ends it with Ctrl+C then. */
  | { readonly program: RegExp; readonly goesOn?: true }
  | "continuation"
  /** Calls the function that the block exports with a port and the name of a table. */
  | { readonly call: string }
  /** Saves the block as a file that other blocks name. */
  | { readonly file: string }
  /** Saves the block, with those that continue it, as a file of tests. vitest runs it, and all of its tests pass. */
  | { readonly testFile: string; readonly passed: number }
  /** Runs each command. Its stdout must match. */
  | { readonly commands: readonly Command[] }
  | { readonly notRun: string };

/** A command that ends, one that the test ends with Ctrl+C, or a server: it runs until the next one starts or the page ends. */
type Command = RegExp | { readonly goesOn: RegExp } | { readonly serves: RegExp };

const serving = { serves: /Press Ctrl\+C to stop\./ };
const any = /^/;

/** The decisions for each page, by heading, in the order of its blocks. */
export const decisions: Readonly<Record<string, Readonly<Record<string, readonly Decision[]>>>> = {
  "README.md": {
    Start: [{ notRun: "installs all packages; the continuous integration begins with it" }],
    "A mail catcher": [{ commands: [serving] }, { program: /^123456\n$/ }],
    "A local DynamoDB": [{ commands: [serving] }, { program: /^$/ }],
    "An event journal": [{ program: /^1\n1 \{ added: 'apple' \}\n$/ }],
    "Device shadows": [{ program: /^\{ on: true \} 2\n$/ }],
    "Documentation and development": [{ notRun: "runs all tests, this one included" }],
  },
  "docs/how-to/bundling-and-lambda.md": {
    "Write a handler": [{ file: "handler.ts" }],
    "Bundle it": [{ commands: [any] }, { commands: [any] }],
  },
  "docs/how-to/entities.md": {
    "Define it": [
      { program: /^100 100\n200\n\{ cents: 0 \} \{ cents: 100 \} \{ cents: 200 \}\n\[ 'ann' \]\n$/ },
    ],
    "Test it without a store": ["continuation"],
    "Run it": ["continuation"],
    "Send commands, and repeat them safely": ["continuation"],
    "Read earlier states": ["continuation"],
    "Change the format of events": ["continuation"],
  },
  "docs/how-to/journal-tools.md": {
    Inspect: [{ commands: [any, /^cart-17$/m, /"sequenceNr":2/, { goesOn: /pear/ }] }],
    Verify: [
      { commands: [any, any] },
      {
        program:
          /^\{ ids: 1, .*\}\n1 9 9\n(?:[1-6] true \[\]\n){6}7 false \[ 'billing' \]\n8 true \[\]\n9 true \[\]\n$/,
      },
    ],
    Repair: [{ commands: [any, any] }, "continuation"],
    "Export and import": [{ commands: [any, any, any] }],
    Migrate: [{ commands: [any, any] }, "continuation"],
    "Confirmations and single messages of the plugin 0.x": ["continuation"],
    Compact: [{ program: /^1 2 1\n$/ }],
  },
  "docs/how-to/local-dynamodb.md": {
    "Start it": [{ commands: [serving, serving] }],
    "Use it from an SDK": [
      { program: /^\[.*\]\n$/ },
      { program: /^\[.*\]\n$/ },
      { notRun: "needs the AWS CLI" },
    ],
    "Use it in tests": [{ program: /^\[\]\n$/ }, { program: /^$/ }],
    "Debug with tables from production": [{ commands: [any, any, serving] }],
    "Serve other machines": [{ commands: [serving, serving] }],
  },
  "docs/how-to/local-shadows.md": {
    "AWS IoT shadows locally": [{ commands: [serving] }],
    "Connect an app": [{ program: /"desired":\{"on":true\}/ }],
    "Connect a device": [
      { program: /"reported"|"delta"/, goesOn: true },
      { notRun: "needs the certificates of a server and of devices" },
      { program: /^\d+\n$/ },
      { notRun: "needs mosquitto's clients; the tests of the shadow server run them" },
    ],
    "Copy shadows from AWS IoT": [{ program: /^copied 2\n$/ }],
    "Inspect shadows": [{ commands: [/lamp/, /"on"/, any, { goesOn: /"on"/ }] }],
    "Use it in a test": [{ program: /http: http:.*mqtt: mqtt:/s }],
  },
  "docs/how-to/moving-from-akka.md": {
    "Moving from an Akka Persistence DynamoDB journal": [{ program: /^1 apple\n.*state: '1 apple'/s }],
  },
  "docs/how-to/moving-from-godeviceshadow.md": {
    "Moving from godeviceshadow": [{ program: /Value: 20/ }],
  },
  "docs/how-to/moving-from-mailhog.md": {
    "Moving from MailHog": [{ commands: [serving, serving] }],
    "Use tables of mhdynamo": [{ program: /^http http:.*^smtp smtp:/ms, goesOn: true }],
  },
  "docs/how-to/production-on-aws.md": {
    "Create the tables": [{ commands: [/^$/, /^$/, /^$/] }, { program: /AWS::DynamoDB::Table/ }],
    "Use the libraries": [{ program: /^0\n$/ }],
    "Run the server": [{ commands: [serving, serving] }],
  },
  "docs/how-to/tests-without-docker.md": {
    vitest: [
      { file: "vitest-fixtures.ts" },
      { testFile: "carts.test.ts", passed: 4 },
      "continuation",
      "continuation",
    ],
    Playwright: [
      { notRun: "needs a browser and an application; examples/test-fixtures runs it" },
      { notRun: "needs a browser and an application; examples/test-fixtures runs it" },
    ],
  },
  "packages/client/README.md": { "@tablekeep/client": [{ program: /^\[.*\]\n$/ }] },
  "packages/core/README.md": { "@tablekeep/core": [{ program: /^true false\n$/ }] },
  "packages/engine/README.md": { "@tablekeep/engine": [{ program: /^\[\]\n$/ }] },
  "packages/entity/README.md": { "@tablekeep/entity": [{ program: /^3\n$/ }] },
  "packages/journal/README.md": { "@tablekeep/journal": [{ program: /^1 \{ added: 'apple' \}\n$/ }] },
  "packages/mail/README.md": { "@tablekeep/mail": [{ program: /^Hello\n$/ }] },
  "packages/port-suite/README.md": {
    "@tablekeep/port-suite": [
      { notRun: "is a whole suite; the tests of the client and of the engine run it" },
    ],
  },
  "packages/shadow/README.md": { "@tablekeep/shadow": [{ program: /^2 \{ on: true \}\n$/m }] },
  "packages/tablekeep/README.md": {
    tablekeep: [
      { commands: [serving, serving, any, /^Usage: tablekeep/] },
      { program: /^http http:.*^mqtt mqtt:/ms },
    ],
  },
  "packages/testkit/README.md": {
    Faults: [{ call: "aLostAnswer" }, { call: "aSmallSchedule" }],
    "Stop after the n-th request": [{ call: "stoppingAnywhere" }],
    "Pauses and interleavings": [{ call: "aLongPause" }, { call: "everyOrder" }],
    "A clock and randomness": [{ call: "waitingAnHour" }, { call: "theSameAgain" }],
    Histories: [{ call: "aHistory" }],
  },
};
