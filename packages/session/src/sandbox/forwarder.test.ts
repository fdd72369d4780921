import { afterEach, expect, test } from "bun:test";
import { connect, createServer, type Server } from "node:net";
import { temporaryFolder } from "@devflow/testkit";
import { type Forwarder, startForwarder } from "./forwarder.ts";

const opened: (Server | Forwarder)[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** Answers every line with the line, in capitals. */
async function echo(): Promise<number> {
  const server = createServer((socket) => socket.on("data", (data) => socket.write(data.toString().toUpperCase())));
  opened.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as { port: number }).port;
}

/** What comes back through a socket until it ends, or until it has answered. */
async function ask(socket: string, text: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const client = connect(socket, () => client.write(text));
    client.once("data", (data) => {
      resolve(data.toString());
      client.destroy();
    });
    client.once("error", reject);
  });
}

async function start(rules: { hosts?: string[]; ports?: number[] }, addresses: string[] = []) {
  const refused: string[] = [];
  const forwarder = await startForwarder(
    temporaryFolder("sockets"),
    { hosts: [], ports: [], ...rules, onRefused: (host) => refused.push(host) },
    async () => addresses,
  );
  opened.push(forwarder);
  const proxy = forwarder.forwards.at(-1)?.socket ?? "";
  return { forwarder, proxy, refused };
}

test("a named port of this machine is reached through its socket", async () => {
  const port = await echo();
  const { forwarder } = await start({ ports: [port, port] });
  expect(forwarder.forwards.map((one) => one.port)).toEqual([port, forwarder.proxyPort]);
  expect(await ask(forwarder.forwards[0]?.socket ?? "", "hello")).toBe("HELLO");
});

test("a host that is not named is refused, and told", async () => {
  const { proxy, refused } = await start({ hosts: ["api.example.com"] }, ["8.8.8.8"]);
  expect(await ask(proxy, "CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example\r\n\r\n")).toStartWith(
    "HTTP/1.1 403",
  );
  expect(refused).toEqual(["evil.example:443"]);
});

test("a named host that leads back to this machine is refused", async () => {
  const port = await echo();
  const { proxy } = await start({ hosts: [`api.example.com:${port}`] }, ["127.0.0.1"]);
  const asked = await ask(proxy, `CONNECT api.example.com:${port} HTTP/1.1\r\nhost: x\r\n\r\n`);
  expect(asked).toStartWith("HTTP/1.1 403");
});

test("a request that is not encrypted is refused", async () => {
  const { proxy } = await start({ hosts: ["api.example.com:80"] }, ["8.8.8.8"]);
  expect(await ask(proxy, "GET http://api.example.com/ HTTP/1.1\r\nhost: api.example.com\r\n\r\n")).toStartWith(
    "HTTP/1.1 403",
  );
});

test("the proxy's port is none of the named ones", async () => {
  const { forwarder } = await start({ ports: [3128, 3129] });
  expect(forwarder.proxyPort).toBe(3130);
});
