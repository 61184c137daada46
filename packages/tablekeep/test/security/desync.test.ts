/** Requests whose end is ambiguous (request smuggling): rejected before a second one is read. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { openSocket } from "../wire/raw-dynamodb.ts";
import { readAll } from "./read-socket.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const hidden = "GET /hidden HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
const chunked = "transfer-encoding: chunked\r\n";
const post = "POST / HTTP/1.1\r\nhost: localhost\r\n";

const answerToHidden = { http: "/hidden", dynamodb: "healthy" };

/** Each with another request hidden where a careless reader would find it. */
const cases: readonly (readonly [what: string, request: string])[] = [
  ["a length and chunks", `${post}content-length: 5\r\n${chunked}\r\n0\r\n\r\n${hidden}`],
  ["chunks and a length", `${post}${chunked}content-length: 5\r\n\r\n0\r\n\r\n${hidden}`],
  ["two lengths", `${post}content-length: 0\r\ncontent-length: 6\r\n\r\n${hidden}`],
  ["two equal lengths", `${post}content-length: 0\r\ncontent-length: 0\r\n\r\n${hidden}`],
  ["a list of lengths", `${post}content-length: 0, 6\r\n\r\n${hidden}`],
  ["a signed length", `${post}content-length: +0\r\n\r\n${hidden}`],
  ["a negative length", `${post}content-length: -1\r\n\r\n${hidden}`],
  ["a length in hex", `${post}content-length: 0x0\r\n\r\n${hidden}`],
  ["a length with an exponent", `${post}content-length: 0e1\r\n\r\n${hidden}`],
  ["a length with a fraction", `${post}content-length: 0.0\r\n\r\n${hidden}`],
  ["a length with a space inside", `${post}content-length: 0 0\r\n\r\n${hidden}`],
  ["an empty length", `${post}content-length:\r\n\r\n${hidden}`],
  ["a length that overflows", `${post}content-length: 18446744073709551616\r\n\r\n${hidden}`],
  ["a space before the colon", `${post}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`],
  ["a tab before the colon", `${post}content-length\t: 0\r\n\r\n${hidden}`],
  ["a folded header", `${post}transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n${hidden}`],
  ["a folded length", `${post}content-length:\r\n\t0\r\n\r\n${hidden}`],
  ["a header that begins with a space", `${post} content-length: 0\r\n\r\n${hidden}`],
  ["an encoding that nobody knows", `${post}transfer-encoding: cow\r\n\r\n${hidden}`],
  [
    "chunks that are not the last encoding",
    `${post}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
  ],
  ["an encoding twice", `${post}${chunked}${chunked}\r\n0\r\n\r\n${hidden}`],
  ["an encoding in a strange coat", `${post}transfer-encoding: \x0bchunked\r\n\r\n0\r\n\r\n${hidden}`],
  ["a size of a chunk that is none", `${post}${chunked}\r\nzz\r\n\r\n${hidden}`],
  ["a size in a C coat", `${post}${chunked}\r\n0x0\r\n\r\n${hidden}`],
  ["a negative chunk", `${post}${chunked}\r\n-1\r\n\r\n${hidden}`],
  ["a chunk that overflows", `${post}${chunked}\r\n10000000000000000\r\n${hidden}`],
  ["a chunk that ends with LF alone", `${post}${chunked}\r\n1\r\nx\n0\r\n\r\n${hidden}`],
  ["a chunk that is longer than it says", `${post}${chunked}\r\n1\r\nxyz\r\n0\r\n\r\n${hidden}`],
  ["an extension with LF alone", `${post}${chunked}\r\n0;a\n\r\n\r\n${hidden}`],
  ["header lines that end with LF alone", `POST / HTTP/1.1\nhost: localhost\ncontent-length: 0\n\n${hidden}`],
  ["header lines that end with CR alone", `${post}x: y\rcontent-length: 0\r\n\r\n${hidden}`],
  ["NUL in a header", `${post}x: a\0b\r\ncontent-length: 0\r\n\r\n${hidden}`],
  ["NUL in a name", `${post}content-len\0gth: 0\r\n\r\n${hidden}`],
  ["two hosts", `GET / HTTP/1.1\r\nhost: localhost\r\nhost: evil.test\r\n\r\n${hidden}`],
  ["no host", `GET / HTTP/1.1\r\n\r\n${hidden}`],
  ["a version that is none", `GET / HTTP/1.9\r\nhost: localhost\r\n\r\n${hidden}`],
  ["a space in the target", `GET /a b HTTP/1.1\r\nhost: localhost\r\n\r\n${hidden}`],
];

describe.each(["http", "dynamodb"] as const)("on the %s listener", (name) => {
  test.each(cases)("%s", async (_what, request) => {
    const socket = await openSocket(name === "http" ? server.url : server.dynamodbUrl);
    socket.write(Buffer.from(request, "latin1"));
    const received = readAll(socket);
    // Some requests leave the server waiting for more. Requests that came later are answered only after this one was read.
    for (let times = 0; times < 3; times++) await fetch(new URL("/healthz", server.url));
    socket.end();
    const output = await received;
    const answers = output.match(/^HTTP\/1\.1 \d{3}/gm) ?? [];
    // Rejections and the close: a route without a body may reject the request before the parser rejects the body.
    expect(answers.length).toBeLessThanOrEqual(2);
    for (const answer of answers) expect(answer).toMatch(/ 4\d\d$/);
    expect(output).not.toContain(answerToHidden[name]);
  });

  test("two honest requests in a row are both answered", async () => {
    const socket = await openSocket(name === "http" ? server.url : server.dynamodbUrl);
    socket.write(`GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n${hidden}`);
    expect((await readAll(socket)).match(/^HTTP\/1\.1 \d{3}/gm)).toHaveLength(2);
  });
});
