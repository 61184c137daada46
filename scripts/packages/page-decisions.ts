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
type Command = RegExp | GoesOn | { readonly serves: RegExp };

/** The test waits for output before it sends Ctrl+C: a shell swallows one that comes before it has started its command. */
interface GoesOn {
  readonly goesOn: RegExp;
  /** The index of a command of the block to repeat until the output matches, for one that prints only what is new. */
  readonly meanwhile?: number;
}

const serving = { serves: /Press Ctrl\+C to stop\./ };
const any = /^/;

/** The decisions for each page, by heading, in the order of its blocks. */
export const decisions: Readonly<Record<string, Readonly<Record<string, readonly Decision[]>>>> = {
  "README.md": {
    Start: [
      { notRun: "installs all packages; the continuous integration begins with it" },
      { commands: [serving] },
    ],
    "I test mail": [{ commands: [any, /ann@example\.org/, /ann@example\.org/] }, { program: /^123456\n$/ }],
    "I need a local DynamoDB": [
      { notRun: "needs the AWS CLI; the tests of real clients run it" },
      { program: /^\[\]\n$/ },
    ],
    "I event-source on DynamoDB": [
      { commands: [/"outcome":"ok"/, /"added":"apple"/, /"cart-1"/] },
      { program: /^1\n1 \{ added: 'apple' \}\n$/ },
    ],
    "I keep device state": [
      { commands: [/"version":1/, /"version":2/, /"delta"/] },
      { program: /^\{ on: true \} 2\n$/ },
    ],
    "Documentation and development": [{ notRun: "runs all tests, this one included" }],
  },
  "docs/how-to/agents.md": {
    "Start it": [
      { notRun: "installs a package from the registry" },
      { notRun: "needs the package above; tests run it with the client of the SDK" },
    ],
  },
  "docs/how-to/assert-on-mail.md": {
    "In vitest": [{ testFile: "order-mail.test.ts", passed: 1 }],
    "In Playwright": [{ notRun: "needs a browser; a test in Chromium takes such pictures" }],
  },
  "docs/how-to/bundling-and-lambda.md": {
    "Write a handler": [{ file: "handler.ts" }],
    "Bundle it": [{ commands: [any] }, { commands: [any] }],
  },
  "docs/how-to/castore.md": {
    "Store events": [
      {
        program:
          /^account-1 has 100 cents\nversion 2 of account-1 exists\n1 \{ type: 'OPENED', payload: \{ owner: 'ann' \} \}\n2 /,
      },
    ],
    "Expect conflicts": ["continuation"],
    "Handle unknown outcomes": ["continuation"],
    "Read events with the journal": ["continuation"],
  },
  "docs/how-to/check-a-message.md": {
    "On the command line": [{ commands: [any, /^Checked 1 message: 0 errors, 0 warnings, 0 notes\.$/m] }],
    "In a program": [
      {
        program:
          /^error header-date .*\nerror header-message-id .*\nerror template-rest .*\nwarning header-to .*\n\[ 'SPF of shop\.dev is fail for 203\.0\.113\.9' \]\n\[ 'template-rest' \]\n$/,
      },
    ],
    "Check DKIM, SPF and DMARC": ["continuation"],
    "Choose what matters to you": ["continuation"],
  },
  "docs/how-to/deploy.md": {
    "Build an image": [
      { notRun: "needs a container engine; a test runs the program of the image" },
      { notRun: "asks for a password, and needs a container engine" },
    ],
    "Deploy to AWS": [{ notRun: "needs an AWS account" }],
  },
  "docs/how-to/emmett.md": {
    "Handle commands": [
      {
        program:
          /^\[ 1n \]\n100\naccount-1 has version 1\n1 36 \{ type: 'Deposited', data: \{ cents: 100 \} \}\n$/,
      },
    ],
    "Expect versions": ["continuation"],
    "Handle unknown outcomes": ["continuation"],
    "Read events with the journal": ["continuation"],
  },
  "docs/how-to/encrypted-events.md": {
    "Encrypt events and forget a person": [{ program: /^1 forgotten\n2 \{ type: 'paid', cents: 400 \}\n$/ }],
    "Protect the keys": ["continuation"],
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
    "See the states in the console": [
      { notRun: "needs a module; tests of the server load one with this option" },
    ],
  },
  "docs/how-to/feed-on-lambda.md": {
    "Write the function": [{ file: "feed.ts" }, { commands: [any] }],
  },
  "docs/how-to/journal-tools.md": {
    Inspect: [{ commands: [any, /^cart-17$/m, /"sequenceNr":2/] }],
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
    Compact: [{ commands: [/^Merged \d+ items? of \d+ ids/m, any] }, { program: /^1 2 1\n$/ }],
    Expire: [{ program: /^1 0\n$/ }],
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
    "Back up and copy shadows": [
      { commands: [/Exported \d+ lines/, /Imported 0 shadows/, /Imported \d+ shadows? into restored/] },
    ],
    "Inspect shadows": [{ commands: [/lamp/, /"on"/, any, { goesOn: /"on"/ }] }],
    "Use it in a test": [{ program: /http: http:.*mqtt: mqtt:/s }],
  },
  "docs/how-to/rollouts.md": {
    "Roll out a desired state": [{ commands: [serving] }],
    "Create a rollout": [{ commands: [/"2\.0"/, /"2\.0"/, /"2\.0"/, /Created rollout v2/] }],
    "Follow it": [{ commands: [/^v2 /, /^v2 /] }],
    "When a wave fails": [
      { notRun: "depends on what the server has done by then; the tests of the package run it" },
    ],
    "From a program": [{ program: /^succeeded \[ 'lamp-1 succeeded', 'lamp-2 succeeded' \]\n$/ }],
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
  "docs/how-to/outbox.md": {
    "Send each event": [
      {
        program:
          /^\[\n {2}'\{"persistenceId":"order\|17","sequenceNr":1,"type":"placed"\}',\n {2}'\{"persistenceId":"order\|17","sequenceNr":2,"type":"paid"\}'\n\]\n$/,
      },
    ],
  },
  "docs/how-to/read-model.md": {
    "Define it": [{ program: /^400\nrunning 0\n$/ }],
    "Run it": ["continuation"],
    "Read your own write": ["continuation"],
    "Check its progress, and stop it": ["continuation"],
  },
  "docs/how-to/rebuild-a-projection.md": {
    "Write each version to its own table": [
      { program: /^500\n5\n\[ \{ name: 'balances', current: 2, versions: \[ 2 \] \} \]\n$/ },
    ],
    "Run both": ["continuation"],
    "Switch readers": ["continuation"],
    "Remove the old version": ["continuation"],
  },
  "docs/how-to/run-a-feed.md": {
    "Start it": [{ commands: [serving] }],
    "Read it": [{ commands: [/"outcome":"ok"/, /^feed +all/m, any, { goesOn: /apple/, meanwhile: 0 }] }],
    "Repair it": [{ commands: [/The feed of events has \d+ events\./, /rebuilds it/] }],
  },
  "docs/how-to/sagas.md": {
    "Write a message with the events": [{ program: /^done\nrefunded\n70\n30\n$/ }],
    "Let participants answer": ["continuation"],
    "Decide the next step": ["continuation"],
    "Relay the messages": ["continuation"],
  },
  "docs/how-to/shadow-rules.md": {
    "Write rules": [{ notRun: "needs the JSON above it as a file; a test of the server kills this command" }],
    "Receive events": [{ program: /^shadow\.delta lamp \{ on: true \}\n$/ }],
    "See what is waiting": [{ notRun: "needs rules; the tests of rules send the same requests" }],
  },
  "docs/how-to/sync-with-aws-iot.md": {
    "Choose the shadows": [{ notRun: "needs an AWS account; a test of the server kills this command" }],
    "Try it with two servers": [
      {
        program:
          /^\{\s+desired: \{ on: true \},\s+reported: \{ on: false \},\s+delta: \{ on: true \}\s+\}\n$/,
      },
    ],
    "See what is waiting": [{ notRun: "needs a sync; a test of the server runs the same commands" }],
  },
  "docs/how-to/tests-without-docker.md": {
    vitest: [
      { file: "vitest-fixtures.ts" },
      { testFile: "carts.test.ts", passed: 4 },
      "continuation",
      "continuation",
      "continuation",
    ],
    Playwright: [
      { notRun: "needs a browser and an application; examples/test-fixtures runs it" },
      { notRun: "needs a browser and an application; examples/test-fixtures runs it" },
    ],
    "node:test": [{ program: /pass 1\n/ }],
    Jest: [{ notRun: "needs Jest" }],
    "Tables with data": [{ program: /^1 0\n$/ }],
  },
  "packages/castore/README.md": {
    "@tablekeep/castore": [{ program: /^\{ aggregateId: 'cart-1', version: 1, items: \[ 'apple' \] \}\n$/ }],
  },
  "packages/client/README.md": { "@tablekeep/client": [{ program: /^\[.*\]\n$/ }] },
  "packages/core/README.md": { "@tablekeep/core": [{ program: /^true false\n$/ }] },
  "packages/emmett/README.md": { "@tablekeep/emmett": [{ program: /^\[ 'apple' \]\n$/ }] },
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
      { program: /^2\n$/ },
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
