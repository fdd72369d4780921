/** The sockets of other programs, from the kernel's table. */
import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { otherSockets, socketsIn } from "./other-sockets.ts";

test("paths are read with their spaces; sockets without a path or in the abstract space are not among them", () => {
  const table = [
    "Num       RefCount Protocol Flags    Type St Inode Path",
    "0000000000000000: 00000002 00000000 00010000 0001 01 15867 /srv/docker.sock",
    "0000000000000000: 00000003 00000000 00000000 0001 03 15868 /srv/docker.sock",
    "0000000000000000: 00000002 00000000 00000000 0002 01 15869 /srv/my data/log",
    "0000000000000000: 00000002 00000000 00010000 0001 01 15870 @/tmp/.X11-unix/X0",
    "0000000000000000: 00000003 00000000 00000000 0001 03 15871",
    "",
  ].join("\n");
  expect(socketsIn(table)).toEqual(["/srv/docker.sock", "/srv/my data/log"]);
});

test.skipIf(process.platform !== "linux")("a program's socket is found while it is there", async () => {
  const path = join(temporaryFolder("sockets"), "program.sock");
  const server = createServer();
  await new Promise<void>((done) => server.listen(path, done));
  const found = () => otherSockets((one) => one === path);
  expect(found()).toEqual([path]);
  await new Promise((done) => server.close(done));
  expect(found()).toEqual([]);
});
