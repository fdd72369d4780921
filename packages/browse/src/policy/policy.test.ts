import { afterAll, describe, expect, test } from "bun:test";
import { type AddressInfo, connect, createServer } from "node:net";
import { forbiddenAddress } from "./addresses.ts";
import { openProxy } from "./socks-proxy.ts";
import { UrlPolicy } from "./url-policy.ts";

const policy = (allow: string[] = [], block: string[] = []) =>
  new UrlPolicy({
    rules: () => [{ allow, block }],
    fileRefusal: (path) => (path.startsWith("/work/") ? undefined : "outside"),
  });

describe("addresses", () => {
  test.each([
    "169.254.169.254",
    "169.254.0.1",
    "::ffff:169.254.1.1",
    "::ffff:a9fe:101",
    "::169.254.1.1",
    "64:ff9b::169.254.1.1",
    "2002:a9fe:0101::",
    "fd00::1",
    "fdff::1",
    "fe80::1%eth0",
    "febf::1",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
    "255.255.255.255",
    "224.0.0.1",
    "ff02::1",
  ])("%s can never be reached", (address) => expect(forbiddenAddress(address)).toBeString());
  test.each([
    "127.0.0.1",
    "::1",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "93.184.215.14",
    "2606:2800::1",
    "fc00::1",
    "169.253.1.1",
    "::ffff:127.0.0.1",
  ])("%s can be reached", (address) => expect(forbiddenAddress(address)).toBeUndefined());
});

describe("URLs", () => {
  test.each([
    "http://localhost:3000",
    "https://example.com",
    "about:blank",
    "data:text/html,x",
    "file:///work/page.html",
    "blob:http://localhost/1",
    "view-source:https://example.com",
  ])("%s may be opened", (url) => expect(policy().urlRefusal(url)).toBeUndefined());
  test.each([
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    " file:///etc/passwd",
    "view-source:file:///etc/passwd",
    "view-source:view-source:file:///etc/passwd",
    "blob:file:///etc/passwd",
    "filesystem:file:///x",
    "chrome://settings",
    "devtools://x",
    "javascript:alert(1)",
    "about:settings",
    "ftp://example.com",
    "chrome-extension://x/",
    "nonsense",
  ])("%s may not be opened", (url) => expect(policy().urlRefusal(url)).toBeString());
});

describe("an allow-list", () => {
  const refusal = (pattern: string, url: string) => policy([pattern]).urlRefusal(url);
  test.each([
    ["example.com", "https://example.com/x"],
    ["example.com", "https://EXAMPLE.com./x"],
    ["*.example.com", "https://example.com"],
    ["*.example.com", "https://a.b.example.com"],
    ["bücher.example", "https://xn--bcher-kva.example/"],
    ["BÜCHER.example", "https://bücher.example/"],
    ["[::1]", "http://[::1]:3000"],
    ["127.0.0.1", "http://0x7f000001/"],
  ])("with %s lets %s through", (pattern, url) => expect(refusal(pattern, url)).toBeUndefined());
  test.each([
    ["example.com", "https://example.com@evil.example"],
    ["example.com", "https://example.com.evil.example"],
    ["example.com", "https://evilexample.com"],
    ["example.com", "https://evil.example/example.com"],
    ["example.com", "https://evil.example#example.com"],
    ["example.com", "https://sub.example.com"],
    ["*.example.com", "https://badexample.com"],
    ["example.com", "https://еxample.com"],
    ["example.com", "https://evil.example\\@example.com"],
  ])("with %s does not let %s through", (pattern, url) => expect(refusal(pattern, url)).toBeString());
  test("is overridden by a block", () => {
    expect(policy(["*.example.com"], ["ads.example.com"]).hostRefusal("ads.example.com")).toBe(
      "ads.example.com is blocked by policy",
    );
  });
});

describe("the SOCKS proxy", async () => {
  const target = createServer((socket) => socket.end("hello"));
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const { port } = target.address() as AddressInfo;
  const answers: string[][] = [["127.0.0.1"], ["169.254.169.254"]];
  const names: Record<string, () => string[]> = {
    "good.example": () => ["127.0.0.1"],
    "metadata-by-name.example": () => ["169.254.169.254"],
    "both.example": () => ["127.0.0.1", "fd00::1"],
    "rebinding.example": () => answers.shift() ?? [],
  };
  const proxy = await openProxy({
    hostRefusal: (host) => policy([], ["blocked.example"]).hostRefusal(host),
    ownPorts: () => [1],
    lookUp: async (host) => names[host]?.() ?? [],
  });
  afterAll(async () => {
    await proxy.close();
    await new Promise((resolve) => target.close(resolve));
  });

  const ask = (host: string, to = port): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(proxy.port, "127.0.0.1", () => {
        socket.write(Buffer.from([5, 1, 0]));
        socket.write(
          Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), Buffer.from(host), Buffer.from([to >> 8, to & 255])]),
        );
      });
      let got = Buffer.alloc(0);
      socket.on("data", (part: Buffer) => {
        got = Buffer.concat([got, part]);
      });
      socket.on("close", () => resolve(got.length > 12 ? got.subarray(12).toString() : `refused ${got[3]}`));
    });

  test("connects to an allowed host", async () => expect(await ask("good.example")).toBe("hello"));
  test("refuses names that are blocked, unknown or have a forbidden address", async () => {
    expect(await ask("blocked.example")).toBe("refused 2");
    expect(await ask("unknown.example")).toBe("refused 4");
    expect(await ask("metadata-by-name.example")).toBe("refused 2");
    expect(await ask("both.example")).toBe("refused 2");
    expect(proxy.failureOf("both.example", port)?.kind).toBe("refused by policy");
  });
  test("connects to the address that was checked, so DNS rebinding has no effect", async () => {
    expect(await ask("rebinding.example")).toBe("hello");
    expect(await ask("rebinding.example")).toBe("refused 2");
  });
  test("refuses the browser's own ports", async () => expect(await ask("127.0.0.1", 1)).toBe("refused 2"));
  test("reports when nothing is listening", async () => {
    expect(await ask("good.example", 9)).toBe("refused 5");
    expect(proxy.failureOf("good.example", 9)?.kind).toBe("nothing listens");
  });
  test("speaks only SOCKS 5", async () => {
    const received = await new Promise<number>((resolve) => {
      const socket = connect(proxy.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\n\r\n"));
      let bytes = 0;
      socket.on("data", (part) => {
        bytes += part.length;
      });
      socket.on("close", () => resolve(bytes));
    });
    expect(received).toBe(0);
  });
});
